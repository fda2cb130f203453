import { describe, expect, test } from "vitest";
import { basis, fit, orbit, pan, projector, roundStep, zoom, type View } from "../../src/camera";

const view = (more: Partial<View> = {}): View => ({ dimension: 3, up: "z", target: [0, 0, 0], height: 4, yaw: 0.7, pitch: 0.3, ...more });
const project = (v: View, p: number[], w = 800, h = 600): number[] => {
    const out: [number, number, number, number] = [0, 0, 0, 0];
    projector(v, w, h)(p[0], p[1], p[2], out);
    return out;
};
const dot = (a: number[], b: number[]): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

describe("camera", () => {
    test.each(["y", "z"] as const)("its axes are perpendicular units, right-handed, with %s up", (up) => {
        const { right, up: u, back } = basis(view({ up }));
        for (const [a, b] of [[right, u], [u, back], [back, right]]) expect(dot(a, b)).toBeCloseTo(0, 12);
        for (const a of [right, u, back]) expect(dot(a, a)).toBeCloseTo(1, 12);
        expect(right[1] * u[2] - right[2] * u[1]).toBeCloseTo(back[0], 12);
        expect(u[up === "z" ? 2 : 1]).toBeGreaterThan(0);
    });
    test("the target is in the middle", () => expect(project(view({ target: [1, 2, 3] }), [1, 2, 3]).slice(0, 2)).toEqual([400, 300]));
    test("a plane is drawn to scale, y upwards", () => {
        const v = view({ dimension: 2, up: "y" });
        expect(project(v, [1, 0, 0])[0]).toBeCloseTo(400 + 150, 9);
        expect(project(v, [0, 1, 0])[1]).toBeCloseTo(300 - 150, 9);
    });
    test("what is nearer is larger", () => {
        const v = view();
        const { back } = basis(v);
        expect(project(v, back)[3]).toBeGreaterThan(project(v, back.map((b) => -b))[3]);
    });
    test("zooming keeps what is under the pointer", () => {
        const v = view({ dimension: 2, up: "y" });
        const before = project(v, [0.7, 0.4, 0]);
        zoom(v, 1.5, before[0], before[1], 800, 600);
        const after = project(v, [0.7, 0.4, 0]);
        expect(after[0]).toBeCloseTo(before[0], 9);
        expect(after[1]).toBeCloseTo(before[1], 9);
    });
    test("panning follows the pointer", () => {
        const v = view({ dimension: 2, up: "y" });
        const before = project(v, [0, 0, 0]);
        pan(v, 10, -20, 600);
        const after = project(v, [0, 0, 0]);
        expect(after[0] - before[0]).toBeCloseTo(10, 9);
        expect(after[1] - before[1]).toBeCloseTo(-20, 9);
    });
    test("orbiting never tips over", () => {
        const v = view();
        orbit(v, 0, 100);
        expect(v.pitch).toBeLessThan(Math.PI / 2);
    });
    test.each([2, 3] as const)("a fitted view holds all points, in %i dimensions", (dimension) => {
        const v = view({ dimension, up: dimension === 2 ? "y" : "z" });
        const points: number[] = [];
        for (let i = 0; i < 200; i++) points.push(5 + 3 * Math.sin(i), -2 + Math.cos(1.7 * i), dimension === 3 ? Math.sin(0.3 * i) : 0, 0.1);
        fit(v, points, 800, 600, 0.05);
        for (let i = 0; i < points.length; i += 4) {
            const [x, y] = project(v, points.slice(i, i + 3));
            expect(x).toBeGreaterThan(0);
            expect(x).toBeLessThan(800);
            expect(y).toBeGreaterThan(0);
            expect(y).toBeLessThan(600);
        }
    });
    test("nothing to fit is no harm", () => {
        const v = view();
        fit(v, [], 800, 600, 0.1);
        expect(v.height).toBe(2);
        fit(v, [NaN, 0, 0, 0], 800, 600, 0.1);
        expect(Number.isFinite(v.height)).toBe(true);
    });
    test.each([[0.3, 0.5], [1, 1], [1.1, 2], [6, 10], [0.00021, 0.0005]])("a round step of at least %f is %f", (least, step) =>
        expect(roundStep(least)).toBeCloseTo(step, 12));
});

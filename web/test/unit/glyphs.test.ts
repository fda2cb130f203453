import { describe, expect, test } from "vitest";
import { readRun, type Joint, type Run } from "../../src/data";
import { makeScene, turnVector, type Item } from "../../src/scene";
import { gear, rack, teethOf, type Shape } from "../../src/shapes";
import type { Point } from "../../src/shape2d";

const SAMPLES = 101;
const times = Float64Array.from({ length: SAMPLES }, (_, i) => i / 20);
const still = (...v: number[]): Float64Array => Float64Array.from(v);
const moving = (width: number, at: (t: number) => number[]): Float64Array => {
    const made = new Float64Array(width * SAMPLES);
    times.forEach((t, i) => made.set(at(t), width * i));
    return made;
};
const UPRIGHT = still(1, 0, 0, 0);
const about = (angle: number): number[] => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];

function joint(kind: string, more: Partial<Joint> = {}): Joint {
    return { name: kind, kind, of: ["ground", "body"], at: still(1, 2, 3), to: still(1, 2, 3), turn: UPRIGHT, turn2: UPRIGHT, size: still(), plane: false, ...more };
}

function itemsOf(joints: Joint[], dimension: 2 | 3 = 3): Item[] {
    const run: Run = { ...readRun(null), times, dimension, joints };
    return makeScene(run).items;
}

function placeOf(item: Item, i: number): number[] {
    const [at, turn] = [[0, 0, 0], [1, 0, 0, 0]];
    item.at.read({ i, f: 0 }, at);
    item.turn?.readTurn({ i, f: 0 }, turn);
    return turnVector(turn, ...item.offset).map((d, k) => d + at[k]);
}

describe("each kind of joint has its glyph at its place", () => {
    const anchor = joint("anchor", { kind: "none", at: still(0, 0, 0), to: still(4, 4, 4) }); // sets the scale
    for (const kind of ["revolute", "spherical", "universal", "fixed", "planar", "prismatic", "cylindrical"])
        test(kind, () => {
            const moves = moving(3, (t) => [1, 2, 3 + (kind === "prismatic" || kind === "cylindrical" ? t : 0)]);
            const glyphs = itemsOf([anchor, joint(kind, { to: moves })]).filter((i) => i.glyph === kind);
            expect(glyphs.length).toBeGreaterThan(0);
            expect(glyphs.filter((i) => i.named)).toHaveLength(1);
            for (const i of [0, 50, 100]) {
                const wanted = [...moves.subarray(3 * i, 3 * i + 3)];
                const nearest = Math.min(...glyphs.map((g) => Math.hypot(...placeOf(g, i).map((v, k) => v - wanted[k]))));
                expect(nearest).toBeLessThan(1e-6);
            }
        });
    test("a rail is as long as its block goes", () => {
        const moves = moving(3, (t) => [1, 2, 3 + 2 * Math.sin(t)]);
        const rail = itemsOf([anchor, joint("prismatic", { to: moves })]).find((i) => i.kind === "box" && i.size[2] > 4)!;
        expect(placeOf(rail, 30)[2]).toBeCloseTo(3, 2);
        expect(rail.size[2]).toBeGreaterThan(4);
        expect(rail.size[2]).toBeLessThan(6);
    });
    test("in the plane a pin of the ground stands on hatching", () => {
        const shapes = itemsOf([anchor, joint("revolute", { plane: true })], 2).filter((i) => i.glyph === "revolute");
        expect(shapes.map((i) => i.kind).sort()).toEqual(["mesh", "pin"]);
        expect(shapes.find((i) => i.shape)!.shape!.lines.length).toBeGreaterThan(3);
    });
    test("a wheel has spokes, and turns", () => {
        const wheel = itemsOf([joint("rolling", { size: still(0.5), turn2: moving(4, (t) => about(2 * t)) })]).find((i) => i.kind === "mesh")!;
        expect(wheel.shape!.loops).toHaveLength(9);
        expect(wheel.turn!.moves).toBe(true);
    });
});

// --- teeth

function placed(shape: Shape, x: number, y: number, angle: number): Point[] {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return shape.loops[0].map(([u, v]) => [x + c * u - s * v, y + s * u + c * v]);
}

function inside(outline: Point[], [x, y]: Point): boolean {
    let odd = false;
    outline.forEach(([x0, y0], i) => {
        const [x1, y1] = outline[(i + 1) % outline.length];
        if (y0 > y !== y1 > y && x < x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)) odd = !odd;
    });
    return odd;
}

// How many points along an outline lie in another.
function overlap(a: Point[], b: Point[]): number {
    let count = 0;
    a.forEach((p, i) => {
        const q = a[(i + 1) % a.length];
        for (let k = 0; k < 5; k++) if (inside(b, [p[0] + ((q[0] - p[0]) * k) / 5, p[1] + ((q[1] - p[1]) * k) / 5])) count++;
    });
    return count;
}

const depthOf = (outline: Point[], x: number, y: number): number => Math.max(...outline.map((p) => Math.hypot(p[0] - x, p[1] - y)));

describe("gears", () => {
    test("have teeth in the ratio of their radii", () => {
        for (const ratio of [1, 1.5, 2, 2 / 3, 3.2, 0.25, 7 / 5]) {
            const [a, b] = teethOf(ratio);
            expect(a / b).toBeCloseTo(ratio, 10);
            expect(Math.min(a, b)).toBeGreaterThanOrEqual(18);
        }
    });
    for (const k of [-1.5, -1, -2, -0.4])
        test(`of a ratio ${k} mesh: teeth in gaps, at every angle`, () => {
            const centre = [3, 1];
            const start = [0.3, -1.1]; // what the wheels are turned by, as typed
            const [a, b] = [joint("a", { kind: "revolute", of: ["ground", "A"], at: still(1, 2, 0), to: still(1, 2, 0), turn2: moving(4, (t) => about(start[0] + t)) }),
                joint("b", { kind: "revolute", of: ["ground", "B"], at: still(...centre, 0), to: still(...centre, 0), turn2: moving(4, (t) => about(start[1] + k * t)) })];
            const wheels = itemsOf([a, b, joint("gear", { of: ["a", "b"], size: still(k) })]).filter((i) => i.glyph === "gear");
            expect(wheels).toHaveLength(2);
            for (let i = 0; i < SAMPLES; i += 3) {
                const [first, second] = [placed(wheels[0].shape!, 1, 2, start[0] + times[i]), placed(wheels[1].shape!, 3, 1, start[1] + k * times[i])];
                expect(overlap(first, second) + overlap(second, first)).toBe(0);
                expect(depthOf(first, 1, 2) + depthOf(second, 3, 1)).toBeGreaterThan(Math.hypot(2, 1)); // they reach into each other
            }
        });
    test("out of phase would not", () => {
        const wheel = gear(1, 20, 0, 0.1);
        expect(overlap(placed(wheel, 0, 0, 0), placed(wheel, 2, 0, 0))).toBeGreaterThan(0); // tooth on tooth
        expect(overlap(placed(wheel, 0, 0, 0), placed(wheel, 2, 0, Math.PI / 20))).toBe(0);
    });
    test("a rack goes with its wheel", () => {
        const [r, teeth] = [0.4, 20];
        const wheel = gear(r, teeth, -Math.PI / 2, 0.1); // a tooth points down
        const bar = rack(-2, 2, (2 * r) / teeth, true, 0.1);
        for (let a = 0; a < 1; a += 0.03) {
            const [first, second] = [placed(wheel, 0, r, a), placed(bar, r * a, 0, 0)];
            expect(overlap(first, second) + overlap(second, first)).toBe(0);
        }
        expect(overlap(placed(wheel, 0, r, 0), placed(bar, (Math.PI * r) / teeth, 0, 0))).toBeGreaterThan(0);
    });
    test("rack and wheel of a model mesh", () => {
        const r = 0.4;
        const hub = joint("hub", { kind: "revolute", of: ["ground", "W"], at: still(0, 0, 0), to: still(0, 0, 0), turn2: moving(4, (t) => about(t)) });
        const S = Math.SQRT1_2;
        const along = still(S, 0, S, 0); // z to x
        const slide = joint("slide", { kind: "prismatic", of: ["ground", "bar"], at: still(0, r, 0), to: moving(3, (t) => [r * t, r, 0]), turn: along, turn2: along });
        const items = itemsOf([hub, slide, joint("rack", { of: ["hub", "slide"], size: still(r) })]).filter((i) => i.glyph === "rack");
        expect(items).toHaveLength(2);
        const [wheel, bar] = items;
        for (const i of [0, 7, 20, 33, 61]) {
            const turn = [1, 0, 0, 0];
            bar.turn!.readTurn({ i, f: 0 }, turn);
            const at = placeOf(bar, i);
            const teeth = bar.shape!.loops[0].map(([x, y]): Point => {
                const [u, v] = turnVector(turn, x, y, 0);
                return [at[0] + u, at[1] + v];
            });
            const round = placed(wheel.shape!, 0, 0, times[i]);
            expect(overlap(round, teeth) + overlap(teeth, round)).toBe(0);
            const low = Math.min(...teeth.map((p) => Math.abs(p[1])));
            expect(low).toBeLessThan(depthOf(round, 0, 0)); // teeth reach between teeth
        }
    });
});

import { describe, expect, test } from "vitest";
import { readRun, type DrawKind, type Run } from "../../src/data";
import { centre, cloud, makeScene } from "../../src/scene";

const times = Float64Array.from({ length: 101 }, (_, i) => i / 10);

// Things of one kind that go where `at` says, one unit apart.
function run(kind: DrawKind, count: number, at: (t: number) => number): Run {
    const draws = Array.from({ length: count }, (_, k) => ({
        kind, label: "", text: "", corners: [], to: null, turn: null, size: Float64Array.of(0.5, 0.5, 0.5),
        at: Float64Array.from(times, at).reduce((all, x, i) => { all.set([x, k, 0], 3 * i); return all; }, new Float64Array(3 * times.length)),
    }));
    return { ...readRun(null), times, dimension: 3, draws };
}

describe("what goes far", () => {
    test("and does not come back is followed", () => {
        const { far, travels, extent, scale } = makeScene(run("box", 2, (t) => 10 * t));
        expect([far, travels]).toEqual([true, true]);
        expect(extent).toBeGreaterThan(100);
        expect(scale).toBeLessThan(3); // marks are sized by the things, not by their way
    });
    test("and swings is not", () => {
        const { far, travels, extent, scale } = makeScene(run("box", 2, (t) => 50 * Math.sin(2 * Math.PI * t)));
        expect([far, travels]).toEqual([true, false]);
        expect(scale).toBe(extent / 4);
    });
    test("and is a dot is not", () => expect(makeScene(run("circle", 1, (t) => 10 * t)).travels).toBe(false));
    test("is not near", () => expect(makeScene(run("box", 2, (t) => t / 10)).far).toBe(false));
});

test("a view that follows is fitted to things about their centre", () => {
    const scene = makeScene(run("box", 2, (t) => 10 * t));
    expect(centre(scene.items, { i: 50, f: 0 })).toEqual([50, 0.5, 0]);
    const xs = (points: ArrayLike<number>): number[] => Array.from(points).filter((_, i) => i % 4 === 0);
    expect(Math.max(...xs(cloud(scene, true)).map(Math.abs))).toBe(0);
    expect(Math.max(...xs(cloud(scene, false)))).toBe(100);
});

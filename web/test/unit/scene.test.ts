import { expect, test } from "vitest";
import { readRun, type Draw, type Run } from "../../src/data";
import { centre, cloud, makeScene } from "../../src/scene";

const times = Float64Array.from({ length: 101 }, (_, i) => i / 10);

// Boxes that go where `at` says, one unit apart.
function run(count: number, at: (t: number) => number): Run {
    const draws = Array.from({ length: count }, (_, k): Draw => ({
        kind: "box", label: "", text: "", to: null, turn: null, size: [0.5, 0.5, 0.5], radii: null, colour: 0, glyph: "", offset: [0, 0, 0],
        outline: -1, mesh: "", reach: 0, named: true, layer: 0,
        at: Float64Array.from(times, at).reduce((all, x, i) => { all.set([x, k, 0], 3 * i); return all; }, new Float64Array(3 * times.length)),
    }));
    return { ...readRun(null), times, dimension: 3, draws };
}

test("a view that follows is fitted to things about their centre", () => {
    const scene = makeScene(run(2, (t) => 10 * t));
    expect(centre(scene.items, { i: 50, f: 0 })).toEqual([50, 0.5, 0]);
    const xs = (points: ArrayLike<number>): number[] => Array.from(points).filter((_, i) => i % 4 === 0);
    expect(Math.max(...xs(cloud(scene, true)).map(Math.abs))).toBe(0);
    expect(Math.max(...xs(cloud(scene, false)))).toBe(100);
});

test("a drawing of an outline finds it, and what is missing is nothing", () => {
    const data = readRun({
        times: "", dimension: 2, outlines: [{ loops: [[0, 0, 1, 0, 0, 1]], lines: [], depth: 2 }],
        draws: [{ kind: "outline", label: "J", at: [1, 2], joint: "gear", offset: [0, 0, 3], outline: 0, layer: 1.5, colour: 4 }, { kind: "pin", at: [0, 0] }],
        scene: { low: [0, 0, 0], high: [3, 4, 0], scale: 5 },
    });
    const scene = makeScene(data);
    expect(scene.items.map((i) => i.shape?.loops[0])).toEqual([[[0, 0], [1, 0], [0, 1]], undefined]);
    expect(scene.items[0]).toMatchObject({ glyph: "gear", offset: [0, 0, 3], layer: 1.5, colour: 4, named: true });
    expect([scene.extent, scene.scale, scene.far]).toEqual([5, 5, false]);
});

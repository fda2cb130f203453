import { describe, expect, test } from "vitest";
import { before, nearest, thinPath, thinPathTo } from "../../src/thin";

describe("thinPath", () => {
    const circle = Float64Array.from({ length: 3 * 36_000 }, (_, i) => (i % 3 === 0 ? Math.cos : i % 3 === 1 ? Math.sin : () => 0)(Math.floor(i / 3) / 1000));
    test("leaves out what lies nearer than the distance, keeps both ends", () => {
        const kept = thinPath(circle, 3, 0.01);
        expect(kept[0]).toBe(0);
        expect(kept.at(-1)).toBe(35_999);
        expect(kept.length).toBeGreaterThan(3000);
        expect(kept.length).toBeLessThan(3700);
    });
    test("keeps gaps", () => {
        const p = [0, 0, 1, 0, NaN, NaN, 1, 0, 1.0001, 0, 2, 0];
        expect(thinPath(p, 2, 0.1)).toEqual([0, 1, 2, 3, 5]);
    });
    test("gets below a given number", () => {
        expect(thinPathTo(circle, 3, 1e-9, 500).length).toBeLessThanOrEqual(500);
    });
});

describe("search", () => {
    const t = [0, 1, 2, 4];
    test.each([[-1, 0], [0.4, 0], [0.6, 1], [3.1, 3], [2.9, 2], [9, 3]])("nearest to %f is %i", (v, i) => expect(nearest(t, v)).toBe(i));
    test.each([[-1, 0], [0.9, 0], [1, 1], [3.9, 2], [4, 3]])("before %f is %i", (v, i) => expect(before(t, v)).toBe(i));
});

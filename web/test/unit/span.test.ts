import { describe, expect, test } from "vitest";
import { formula, shortened } from "../../src/format";
import { alike, covering, offsetOf, range, rises } from "../../src/span";

const of = (...values: number[]): Float64Array => Float64Array.from(values);

describe("the range of values", () => {
    test("passes over what is not a number", () => expect(range([of(NaN, 2, -1), of(5)])).toEqual([-1, 5]));
    test("is none where there are none", () => expect(range([of(NaN)])).toBeNull());
    test("is none where it is not finite", () => expect(range([of(-1e308, 1e308)])).toBeNull());
});

test("one scale for both axes wants both to be long", () => {
    expect(alike([0, 1], [0, 3])).toBe(true);
    expect(alike([0, 1], [0, 5])).toBe(false);
    expect(alike([0, 5], [0, 1])).toBe(false);
    expect(alike([0, 1], null)).toBe(false);
});

describe("an offset", () => {
    test("is short, and near the first value", () => expect(offsetOf([of(0.5, 0.5 + 2e-10, 0.5 - 1e-10)])).toBe(0.5));
    test("of large numbers", () => expect(offsetOf([of(1e9 + 1, 1e9, 1e9 - 1)])).toBe(1e9 + 1));
    test("is none where values vary", () => expect(offsetOf([of(1, 1.001)])).toBe(0));
    test("is none for a constant, or nothing", () => {
        expect(offsetOf([of(3, 3, 3)])).toBe(0);
        expect(offsetOf([of(NaN)])).toBe(0);
        expect(offsetOf([])).toBe(0);
    });
});

test("a curve on an earlier one is known, not the earlier one", () => {
    expect(covering([of(0, 1, 2), of(0, 1.001, 2), of(0, 1.5, 2), of(2, 1, 0)])).toEqual([false, true, false, false]);
});

test("curves over what rises, and over what does not", () => {
    expect([rises(of(0, 1, 1, 2)), rises(of(0, 2, 1)), rises(of(NaN, 1))]).toEqual([true, false, false]);
});

test("expressions and numbers as in print", () => {
    expect(formula("x1' - x2")).toBe("x1′ − x2");
    expect(["2", "0.5", "0.09213333333333333", "12345678", "1234567890"].map(shortened)).toEqual(["2", "0.5", "0.0921333", "12345678", "1234570000"]);
});

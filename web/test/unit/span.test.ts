import { describe, expect, test } from "vitest";
import { chartCsv, chartSvg } from "../../src/chart-save";
import { PLAIN, type Axis } from "../../src/data";
import { constantTo, formula, shortened } from "../../src/format";
import { alike, covering, flat, offsetOf, range, rises } from "../../src/span";

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

describe("what is constant", () => {
    test("varies by no more than its accuracy", () => {
        expect(flat(of(2, 2 + 1e-10, 2 - 1e-10), 1e-9)!.level).toBeCloseTo(2, 12);
        expect(flat(of(2, 2 + 1e-8), 1e-9)).toBeNull();
        expect(flat(of(2, 2.5), 0)).toBeNull();
    });
    test("is zero where it is but for that", () => expect(flat(of(3e-12, -1e-12), 1e-10)).toEqual({ level: 0, varies: 4e-12 }));
    test("is told by a power of ten that is not less", () => expect([constantTo(4e-12), constantTo(1e-11), constantTo(0)])
        .toEqual(["constant to 10⁻¹¹", "constant to 10⁻¹¹", "constant"]));
});

describe("a chart as a file", () => {
    const times = of(0, 1, 2);
    const series = (label: string, values: Float64Array): { label: string; shown: string; accuracy: number; values: Float64Array } => ({ label, shown: label, accuracy: 0, values });
    const plot = { title: "A <b> & c", equal: false, axes: [PLAIN, PLAIN] as [Axis, Axis], x: series("t", times), series: [series("x", of(1, NaN, 100)), series('say "a, b"', of(0, 1 / 3, 2))] };
    test("CSV has all digits, and names with commas in quotes", () =>
        expect(chartCsv(plot)).toBe('t,x,"say ""a, b"""\n0,1,0\n1,NaN,0.3333333333333333\n2,100,2\n'));
    test("SVG shows texts as they are, and breaks curves where there is no number", () => {
        const svg = chartSvg({ title: plot.title, plot, names: ["x", "y"], colours: ["#00f", "#f00"], dashes: [[], [7, 4]], x: [0, 2], y: [0.1, 100], log: [false, true], labels: ["t", ""] });
        expect(svg).not.toContain("<b>");
        expect(svg).toContain("A &#60;b&#62; &#38; c");
        expect([...svg.matchAll(/class="curve"[^>]* d="([^"]*)"/g)].map((m) => (m[1].match(/M/g) ?? []).length)).toEqual([2, 1]);
        const y = [...svg.matchAll(/class="curve"[^>]* d="([^"]*)"/g)][0][1].match(/[\d.]+ [\d.]+/g)!.map((p) => Number(p.split(" ")[1]));
        expect(y[0] - y[1]).toBeCloseTo((262 * 2) / 3, 1); // two of three decades
    });
});

// The cases of a sweep: reading, selecting; scales and colours of their pictures.
import { describe, expect, test } from "vitest";
import { along, backFrom, marksOf, scaleOf, shade } from "../../src/canvas";
import { described, Looking, named, readSweep, told, valuesOf, varied } from "../../src/cases";

const doubles = (...values: number[]): string => btoa(String.fromCharCode(...new Uint8Array(new Float64Array(values).buffer)));
const column = (name: string, kind: string, ...values: number[]): object => ({ name, shown: name, kind, values: doubles(...values) });

const DATA = {
    sweep: {
        kind: "grid", vary: ["L=1:3:3", "k=2"], cases: 4, summary: "four", all_columns: true,
        status: btoa(String.fromCharCode(0, 1, 3, 255)), failures: [[1, "expect x < 2"], [2, "the rope is too short"]],
        columns: [column("L", "parameter", 1, 2, 3, 0.1 + 0.2), column("k", "parameter", 2, 2, 2, 2), column("t", "final", 5, 5, 1, NaN),
            column("x", "final", 1, 2, NaN, NaN), column("swing", "output", 0.5, 4, NaN, NaN), column("nothing", "result", NaN, NaN, NaN, NaN)],
    },
    run: { title: "Crane", model: "crane.tram", text: "" },
};

describe("cases", () => {
    const sweep = readSweep(DATA)!;

    test("are read; other data is none of theirs", () => {
        expect(readSweep({ title: "a run" })).toBeNull();
        expect(readSweep(null)).toBeNull();
        expect([sweep.count, [...sweep.status], sweep.run.title, sweep.complete]).toEqual([4, [0, 1, 3, 255], "Crane", true]);
        expect(readSweep({ sweep: {} })?.columns).toEqual([]);
    });

    test("have parameters that vary, and results that are known", () => {
        expect(varied(sweep).map((c) => c.name)).toEqual(["L"]);
        expect(told(sweep).map((c) => c.name)).toEqual(["swing"]);
        expect(told({ ...sweep, columns: sweep.columns.filter((c) => c.kind !== "output") }).map((c) => c.name)).toEqual(["x"]);
    });

    test("give back the same numbers to who runs them", () => {
        expect([...valuesOf(sweep, 3)]).toEqual([["L", "0.30000000000000004"], ["k", "2"]]);
        expect(named(sweep, 1)).toBe("L = 2");
    });

    test("tell why they failed, and then of no numbers", () => {
        expect(described(sweep, 1, told(sweep))).toEqual(["Case 1", "L = 2", "an expectation fails: expect x < 2", "swing = 4"]);
        expect(described(sweep, 2, told(sweep))).toEqual(["Case 2", "L = 3", "no solution: the rope is too short"]);
        expect(described(sweep, 3, told(sweep)).at(-1)).toBe("not done");
    });

    test("are selected by the ends of columns", () => {
        const looking = new Looking(sweep);
        let told = 0;
        looking.onChange(() => told++);
        expect(looking.selected()).toEqual([0, 1, 2, 3]);
        looking.brush(sweep.columns[0], [1, 2]);
        looking.brush(sweep.columns[4], [1, 9]);
        expect([looking.selected(), looking.brushed]).toEqual([[1], true]);
        looking.brush(sweep.columns[0], null);
        expect(looking.selected()).toEqual([1]);
        looking.choose(2);
        looking.point(0);
        expect(looking.at).toBe(0);
        looking.point(-1);
        expect(looking.at).toBe(2);
        looking.clear();
        expect([looking.brushed, told]).toEqual([false, 7]);
    });
});

describe("scales", () => {
    test("there and back, by the logarithm too", () => {
        for (const log of [false, true]) {
            const scale = scaleOf([1, NaN, 1000, Infinity], log);
            expect([along(scale, 1), along(scale, 1000)]).toEqual([0, 1]);
            for (const v of [1, 3, 250]) expect(backFrom(scale, along(scale, v))).toBeCloseTo(v, 9);
        }
        expect(marksOf(scaleOf([1, 1000], true), 5).at).toEqual([1, 10, 100, 1000]);
    });

    test("of one value, of none, of none above 0", () => {
        expect(scaleOf([2], false)).toEqual({ low: 1, high: 3, log: false });
        expect(scaleOf([2], true)).toEqual({ low: 1, high: 4, log: true });
        expect(scaleOf([-1, 0], true)).toEqual({ low: 0, high: 1, log: false });
    });

    test("colours run from dark to light", () => {
        expect([shade(0), shade(1), shade(-3), shade(0.5)]).toEqual(["rgb(68,1,84)", "rgb(253,231,37)", "rgb(68,1,84)", "rgb(35,144,139)"]);
    });
});

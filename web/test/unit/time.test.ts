import { describe, expect, test } from "vitest";
import { Clock, goodSpeed } from "../../src/clock";
import { Track } from "../../src/track";
import { number, ticks } from "../../src/format";
import { range } from "../../src/sliders";
import { turnVector } from "../../src/scene";
import { hull } from "../../src/shape2d";
import { readRun } from "../../src/data";

const times = Float64Array.of(0, 0.1, 0.2, 0.3, 0.35);

describe("clock", () => {
    test("at rest it is on a sample", () => {
        const clock = new Clock();
        clock.load(times);
        clock.seekTime(0.16);
        expect(clock.time).toBe(0.2);
        expect(clock.place()).toEqual({ i: 2, f: 0 });
        clock.play();
        clock.advance(0.05);
        expect(clock.index).toBe(2);
        expect(clock.place().f).toBeCloseTo(0.5, 9);
        clock.pause();
        expect(times).toContain(clock.time);
    });
    test("at the end it repeats, or stops", () => {
        const clock = new Clock();
        clock.load(times);
        clock.play();
        clock.advance(0.4);
        expect(clock.time).toBeCloseTo(0.05, 9);
        clock.loop = false;
        clock.advance(1);
        expect([clock.playing, clock.index]).toEqual([false, 4]);
    });
    test("a single sample does not play", () => {
        const clock = new Clock();
        clock.load(Float64Array.of(3));
        clock.play();
        expect(clock.playing).toBe(false);
    });
    test.each([[10, 1], [100, 10], [0.05, 0.005], [3, 1], [1000, 100], [0, 1]])("a run of %f plays at %f", (span, speed) =>
        expect(goodSpeed(span)).toBeCloseTo(speed, 9));
});

describe("track", () => {
    const values = Float64Array.from(times, (t) => t * t).reduce<number[]>((a, v) => [...a, v, 1, 0], []);
    const track = new Track(Float64Array.from(values), 3, times);
    test("on a sample it is the sample", () => {
        const out: number[] = [];
        track.read({ i: 2, f: 0 }, out);
        expect(out).toEqual(values.slice(6, 9));
    });
    test("in between it bends with the motion: exact for a parabola sampled evenly", () => {
        const out: number[] = [];
        track.read({ i: 1, f: 0.5 }, out);
        expect(out[0]).toBeCloseTo(0.15 ** 2, 12);
        expect(out[1]).toBe(1);
    });
    test("what does not move needs one sample", () => {
        const still = new Track(Float64Array.of(1, 2, 3), 3, times);
        const out: number[] = [];
        still.read({ i: 3, f: 0.3 }, out);
        expect([still.moves, out]).toEqual([false, [1, 2, 3]]);
    });
    test("turns take the short way, whatever the sign", () => {
        const c = Math.SQRT1_2;
        const turn = new Track(Float64Array.of(1, 0, 0, 0, -c, 0, 0, -c), 4, Float64Array.of(0, 1));
        const out = [0, 0, 0, 0];
        turn.readTurn({ i: 0, f: 0.5 }, out);
        const [x, y] = turnVector(out, 1, 0, 0);
        expect(Math.atan2(y, x)).toBeCloseTo(Math.PI / 4, 9);
    });
});

describe("numbers", () => {
    test.each([[0, "0"], [0.03, "0.03"], [12.5, "12.5"], [-1, "−1"], [123456, "123456"], [3.14e-13, "3.14·10⁻¹³"], [-2e20, "−2·10²⁰"], [NaN, "–"], [Infinity, "∞"], [100, "100"]])(
        "%d is written %s", (value, text) => expect(number(value)).toBe(text));
    test("ticks have the decimals of their step", () => {
        expect(ticks([-2.5, 0, 2.5], 2.5).labels).toEqual(["−2.5", "0.0", "2.5"]);
        expect(ticks([0, 20, 40], 20).labels).toEqual(["0", "20", "40"]);
        expect(ticks([0, 1e-13, 2e-13], 1e-13)).toEqual({ labels: ["0", "1", "2"], power: -13 });
        expect(ticks([1e6, 2e6], 1e6)).toEqual({ labels: ["1", "2"], power: 6 });
    });
    test.each([[2, [0, 4]], [-3, [-6, 0]], [0, [-1, 1]], [NaN, [-1, 1]]])("the slider of %d", (v, r) => expect(range(v)).toEqual(r));
});

test("the hull of a square with a point inside", () => {
    expect(hull([[0, 0], [1, 0], [0.5, 0.5], [1, 1], [0, 1]])).toHaveLength(4);
});

test("data that is not as expected is read as far as it goes", () => {
    const run = readRun({ times: btoa(String.fromCharCode(...new Uint8Array(Float64Array.of(0, 1.5, NaN).buffer))), draws: [{ kind: "nonsense", at: [0, 0, 0] }, { kind: "line" }], columns: "no", parameters: [{}] });
    expect([...run.times]).toEqual([0, 1.5, NaN]);
    expect([run.draws, run.columns, run.parameters.length]).toEqual([[], [], 1]);
    expect(readRun(undefined).plots).toEqual([]);
});

// What charts must know of the values they show.
import type { Numbers } from "./data";

export function range(lists: Numbers[]): [number, number] | null {
    let [low, high] = [Infinity, -Infinity];
    for (const list of lists)
        for (const v of list) {
            if (v < low) low = v;
            if (v > high) high = v;
        }
    return low <= high && Number.isFinite(high - low) ? [low, high] : null;
}

// Long in both directions, so that one scale leaves something to see.
export function alike(x: [number, number] | null, y: [number, number] | null): boolean {
    const ratio = x && y ? (y[1] - y[0]) / (x[1] - x[0]) : 0;
    return ratio > 0.25 && ratio < 4;
}

// A short number near the first value, where all are in a range that is narrow beside them; else 0.
export function offsetOf(series: Numbers[]): number {
    const all = range(series);
    const first = series[0]?.find(Number.isFinite);
    if (!all || first === undefined) return 0;
    const [span, size] = [all[1] - all[0], Math.max(Math.abs(all[0]), Math.abs(all[1]))];
    if (!(span > 1e-15 * size) || span > 1e-5 * size) return 0;
    return Number(first.toPrecision(Math.min(15, Math.ceil(Math.log10(size / span)) + 1)));
}

// Which curves lie on an earlier one.
export function covering(series: Numbers[]): boolean[] {
    const all = range(series);
    const near = all ? 0.005 * (all[1] - all[0]) : 0;
    const same = (a: Numbers, b: Numbers): boolean => a.every((v: number, i: number) => Math.abs(v - b[i]) <= near);
    return series.map((s, i) => i < 20 && series.slice(0, i).some((other) => same(s, other)));
}

export function rises(x: Numbers): boolean {
    for (let i = 1; i < x.length; i++) if (!(x[i] >= x[i - 1])) return false;
    return x.length === 0 || Number.isFinite(x[0]);
}

// A series that varies by no more than its accuracy is the constant in the middle of it, 0 if that is 0 but for the accuracy.
export interface Flat { level: number; varies: number }

export function flat(values: Numbers, accuracy: number): Flat | null {
    const all = range([values]);
    if (!all || values.length < 2 || !(all[1] - all[0] <= accuracy)) return null;
    const level = all[0] / 2 + all[1] / 2;
    return { level: Math.abs(level) > accuracy ? level : 0, varies: all[1] - all[0] };
}

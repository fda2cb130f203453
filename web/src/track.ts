// Where something is between samples.
import type { Numbers } from "./data";
import type { Place } from "./clock";

// Numbers for each sample (three for points and vectors, four for turns), or once for what does not move.
export class Track {
    readonly moves: boolean;
    constructor(readonly values: Numbers, readonly width: number, private readonly times: Numbers) {
        this.moves = times.length > 1 && values.length >= width * times.length && varies(values, width);
    }

    // Writes the point at a place of time to out[offset...]. On a sample it is the sample; in between, the cubic through
    // both with the slopes of their neighbours (Catmull-Rom), which bends where straight lines would cut corners.
    read(place: Place, out: number[] | Float64Array, offset = 0): void {
        const { values: v, width: w } = this;
        if (!this.moves) {
            for (let k = 0; k < w; k++) out[offset + k] = v[k];
            return;
        }
        const { i, f } = place;
        const at = i * w;
        if (f === 0 || at + 2 * w > v.length) {
            for (let k = 0; k < w; k++) out[offset + k] = v[at + k];
            return;
        }
        const t = this.times;
        const h = t[i + 1] - t[i];
        const left = i > 0 ? i - 1 : i;
        const right = i + 2 < t.length ? i + 2 : i + 1;
        const slope0 = h / (t[i + 1] - t[left] || h);
        const slope1 = h / (t[right] - t[i] || h);
        const f2 = f * f;
        const f3 = f2 * f;
        const a = 2 * f3 - 3 * f2 + 1;
        const b = f3 - 2 * f2 + f;
        const c = f3 - f2;
        for (let k = 0; k < w; k++) {
            const p = v[at + k];
            const q = v[at + w + k];
            const m0 = (q - v[left * w + k]) * slope0;
            const m1 = (v[right * w + k] - p) * slope1;
            out[offset + k] = a * p + b * m0 + (1 - a) * q + c * m1;
        }
    }

    // A turn, a unit quaternion with its scalar first; q and -q mean the same, so neighbours are brought to one side.
    readTurn(place: Place, out: number[]): void {
        const { values: v } = this;
        const i = this.moves ? place.i * 4 : 0;
        const f = this.moves && i + 8 <= v.length ? place.f : 0;
        let side = 1;
        if (f > 0 && v[i] * v[i + 4] + v[i + 1] * v[i + 5] + v[i + 2] * v[i + 6] + v[i + 3] * v[i + 7] < 0) side = -1;
        let norm = 0;
        for (let k = 0; k < 4; k++) {
            out[k] = f > 0 ? (1 - f) * v[i + k] + f * side * v[i + 4 + k] : v[i + k];
            norm += out[k] * out[k];
        }
        norm = Math.sqrt(norm) || 1;
        for (let k = 0; k < 4; k++) out[k] /= norm;
    }
}

function varies(values: Numbers, width: number): boolean {
    for (let i = width; i < values.length; i++) if (values[i] !== values[i % width]) return true;
    return false;
}

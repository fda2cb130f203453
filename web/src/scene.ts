// What is to be drawn, from the data of a run; knows nothing of how. Both renderers draw the same scene.
import type { Box } from "./camera";
import type { Draw, DrawKind, Numbers, Run } from "./data";
import { Track } from "./track";

export interface Item {
    kind: DrawKind;
    label: string;
    text: string;
    at: Track;
    to: Track | null; // second point; of an arrow the vector
    turn: Track | null;
    size: Vector3; // edges of a box, half axes of an ellipsoid, radius and height of a cylinder, radius of the rest
    radii: Numbers | null; // of a circle or sphere whose radius changes: one for each sample
    colour: number; // a number of the palette; -1 is ink
}

export interface ForceItem { label: string; at: Track; force: Track }

export interface Scene {
    dimension: 2 | 3;
    up: "y" | "z";
    items: Item[];
    forces: ForceItem[];
    largestForce: number;
    box: Box; // all that is drawn, over all of the run
    extent: number; // the diagonal of it
    cloud: Numbers; // points of it, with how far something reaches from there: x, y, z, r
    times: Numbers;
}

type Vector3 = [number, number, number];

const SOLID: readonly DrawKind[] = ["circle", "box", "sphere", "cylinder", "ellipsoid", "point"];
const PALETTE_LIMIT = 24; // more bodies than that look better in one colour

function grow(box: Box, values: Numbers, reach: number): void {
    for (let i = 0; i + 2 < values.length; i += 3)
        for (let k = 0; k < 3; k++) {
            const v = values[i + k];
            if (v - reach < box.min[k]) box.min[k] = v - reach;
            if (v + reach > box.max[k]) box.max[k] = v + reach;
        }
}

// How far a body reaches from its point.
function reach(item: Item): number {
    const [a, b, c] = item.size;
    switch (item.kind) {
        case "box": return Math.hypot(a, b, c) / 2;
        case "cylinder": return Math.hypot(a, b / 2);
        case "ellipsoid": return Math.max(a, b, c);
        case "circle":
        case "sphere": return item.radii ? item.radii.reduce((m, r) => Math.max(m, r || 0), 0) : a;
        default: return 0;
    }
}

function bounds(items: Item[], flat: boolean): Box {
    const box: Box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
    for (const item of items) {
        grow(box, item.at.values, reach(item));
        if (item.to && item.kind !== "arrow") grow(box, item.to.values, 0);
    }
    for (let k = 0; k < 3; k++)
        if (!(box.max[k] >= box.min[k]) || !Number.isFinite(box.max[k] - box.min[k])) {
            box.min[k] = -1;
            box.max[k] = 1;
        }
    if (flat) box.min[2] = box.max[2] = 0;
    if (Math.hypot(...box.max.map((m, k) => m - box.min[k])) === 0)
        for (let k = 0; k < (flat ? 2 : 3); k++) {
            box.min[k] -= 1;
            box.max[k] += 1;
        }
    return box;
}

function sizeOf(draw: Draw): Vector3 {
    const s = draw.size;
    if (s.length === 0) return [0, 0, 0];
    const first = Number.isFinite(s[0]) ? Math.abs(s[0]) : 0;
    if (s.length === 1) return [first, first, first];
    return [first, Math.abs(s[1]) || 0, s.length > 2 ? Math.abs(s[2]) || 0 : 0];
}

export function makeScene(run: Run): Scene {
    const times = run.times;
    const solids = run.draws.filter((d) => SOLID.includes(d.kind)).length;
    let solid = 0;
    let trace = 0;
    const items = run.draws.map((draw): Item => {
        let colour = -1;
        if (SOLID.includes(draw.kind)) colour = solids > PALETTE_LIMIT ? 0 : solid++;
        else if (draw.kind === "trace") colour = 1 + trace++;
        else if (draw.kind === "arrow") colour = 2;
        const round = draw.kind === "circle" || draw.kind === "sphere";
        return {
            kind: draw.kind,
            label: draw.label,
            text: draw.text || draw.label,
            at: new Track(draw.at, 3, times),
            to: draw.to && new Track(draw.to, 3, times),
            turn: draw.turn && new Track(draw.turn, 4, times),
            size: sizeOf(draw),
            radii: round && draw.size.length > 3 && draw.size.length === times.length ? draw.size : null,
            colour,
        };
    });
    const box = bounds(items, run.dimension === 2);
    const forces = run.forces.map((f): ForceItem => ({
        label: f.constraint, at: new Track(f.at, 3, times), force: new Track(f.force, 3, times),
    }));
    return {
        dimension: run.dimension,
        up: run.up,
        items,
        forces,
        largestForce: largest(run),
        box,
        extent: Math.hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]) || 1,
        times,
        cloud: cloud(items),
    };
}

// Some thousand points of where things are during the run, so that a view can be fitted to them and not to their box.
function cloud(items: Item[]): Numbers {
    const points: number[] = [];
    const room = Math.max(4, Math.floor(6000 / Math.max(1, items.length)));
    const every = Math.ceil(items.length / 2000);
    items.forEach((item, k) => {
        if (k % every !== 0) return;
        const r = reach(item);
        for (const track of [item.at, item.kind === "arrow" ? null : item.to]) {
            if (!track) continue;
            const count = track.moves ? Math.floor(track.values.length / 3) : 1;
            const step = Math.max(1, Math.floor(count / room));
            for (let i = 0; i < count; i += step) points.push(track.values[3 * i], track.values[3 * i + 1], track.values[3 * i + 2], r);
        }
    });
    return Float64Array.from(points);
}

// The largest force of the run but for rare peaks: the 95th percentile of each, the largest of those.
function largest(run: Run): number {
    let most = 0;
    for (const { force } of run.forces) {
        const norms: number[] = [];
        const stride = 3 * Math.max(1, Math.floor(force.length / 3 / 500));
        for (let i = 0; i + 2 < force.length; i += stride) {
            const n = Math.hypot(force[i], force[i + 1], force[i + 2]);
            if (Number.isFinite(n)) norms.push(n);
        }
        norms.sort((a, b) => a - b);
        if (norms.length > 0) most = Math.max(most, norms[Math.floor(0.95 * (norms.length - 1))]);
    }
    return most;
}

// The vector a turn makes of another: v + 2 q0 (q x v) + 2 q x (q x v).
export function turnVector(q: ArrayLike<number>, x: number, y: number, z: number): Vector3 {
    const [w, a, b, c] = [q[0], q[1], q[2], q[3]];
    const ux = 2 * (b * z - c * y);
    const uy = 2 * (c * x - a * z);
    const uz = 2 * (a * y - b * x);
    return [x + w * ux + b * uz - c * uy, y + w * uy + c * ux - a * uz, z + w * uz + a * uy - b * ux];
}

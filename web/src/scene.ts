// What is to be drawn, from the data of a run; knows nothing of how. Both renderers draw the same scene.
import type { Box } from "./camera";
import type { Place } from "./clock";
import type { Draw, DrawKind, Numbers, Run } from "./data";
import { addGlyphs } from "./glyphs";
import type { Shape } from "./shapes";
import { Track } from "./track";

export interface Item {
    kind: DrawKind | "mesh" | "pin"; // a shape, and a pin of the plane: of glyphs
    label: string;
    text: string;
    at: Track;
    to: Track | null; // second point; of an arrow the vector
    turn: Track | null;
    size: Vector3; // edges of a box, half axes of an ellipsoid, radius and height of a cylinder, radius of the rest
    radii: Numbers | null; // of a circle or sphere whose radius changes: one for each sample
    colour: number; // a number of the palette; -1 is ink, -3 what does not move
    glyph: string; // the kind of joint that it is of, or ""
    offset: Vector3; // from its point, in its own axes
    shape: Shape | null; // of a mesh
    named: boolean; // of a glyph: its name stands here
    layer: number; // in the plane: what is above what; 0: as its kind has it
}

export interface ForceItem { label: string; at: Track; force: Track; torque: Track | null } // a torque in the plane has one number

export interface Scene {
    dimension: 2 | 3;
    up: "y" | "z";
    items: Item[];
    forces: ForceItem[];
    largestForce: number;
    largestTorque: number;
    box: Box; // all that is drawn, over all of the run
    extent: number; // the diagonal of it
    scale: number; // the largest diagonal of what is drawn at one instant, but for traces: marks and arrows are sized by it
    far: boolean; // its parts are small where all of its way is seen
    travels: boolean; // that, and it does not come back
    times: Numbers;
}

type Vector3 = [number, number, number];

const SOLID: readonly DrawKind[] = ["circle", "box", "sphere", "cylinder", "ellipsoid", "point"];
const INSTANTS = 24; // at which the scale is measured
const FAR = 8; // times its size is far
const CENTRED = 100; // things, the mean of which a view follows
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
        case "box": return Math.hypot(a, b, c) / 2 + Math.hypot(...item.offset);
        case "cylinder": return Math.hypot(a, b / 2) + Math.hypot(...item.offset);
        case "mesh": return a + Math.hypot(...item.offset);
        case "ellipsoid": return Math.max(a, b, c);
        case "circle":
        case "sphere": return Array.from(item.radii ?? [a]).reduce((m, r) => Math.max(m, r || 0), 0);
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
    const second = Math.abs(s[1]) || 0;
    return [first, second, Math.abs(s[2]) || (draw.kind === "box" ? 0.1 * Math.min(first, second) : 0)]; // a plate is seen from its side
}

// like: of the same things, whose sizes it takes
export function makeScene(run: Run, like: Scene | null = null): Scene {
    const times = run.times;
    const solids = run.draws.filter((d) => SOLID.includes(d.kind)).length;
    let solid = 0;
    let trace = 0;
    const drawn = run.draws.filter((d) => d.kind !== "plate").map((draw): Item => {
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
            glyph: "", offset: [0, 0, 0], shape: null, layer: 0, named: true,
        };
    });
    const items = addGlyphs(run, drawn, jointScale(run, drawn));
    const box = bounds(items, run.dimension === 2);
    const extent = Math.hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]) || 1;
    const size = Math.min(extent, scaleOf(items, times.length) || extent);
    const forces = run.forces.map((f): ForceItem => ({
        label: f.constraint, at: new Track(f.at, 3, times), force: new Track(f.force, 3, times),
        torque: f.torque.length > 0 ? new Track(f.torque, f.torque.length === 1 || f.torque.length === times.length ? 1 : 3, times) : null,
    }));
    const far = extent > FAR * size && moving(items).length > 0;
    const travels = far && goesAway(items, times.length, extent);
    const scale = travels ? size : Math.max(size, extent / 4);
    if (like) {
        const { largestForce, largestTorque: torque, box: whole, extent: reaches, scale } = like;
        return { dimension: run.dimension, up: run.up, items, forces, largestForce, largestTorque: torque, box: whole, extent: reaches, scale, far: like.far, travels: like.travels, times };
    }
    const found = largest(run.forces.map((f) => f.force), 3);
    const largestForce = found > Math.max(...run.forces.map((f) => f.accuracy)) ? found : 0; // else it is noise
    return { dimension: run.dimension, up: run.up, items, forces, largestForce, largestTorque: largestTorque(forces, scale, largestForce), box, extent, scale, far, travels, times };
}

// By which glyphs are sized: what is drawn, and where joints are.
function jointScale(run: Run, items: Item[]): number {
    const box: Box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
    for (const j of run.joints) for (const v of [j.at, j.to]) grow(box, v.subarray(0, 3), j.kind.startsWith("rolling") ? j.size[0] : 0);
    const joints = Math.hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
    return Math.max(scaleOf(items, run.times.length), Number.isFinite(joints) ? joints : 0);
}

// Ends far from where it began, and is more than dots.
function goesAway(items: Item[], samples: number, extent: number): boolean {
    if (moving(items).every((item) => item.kind === "point" || item.kind === "circle")) return false;
    const [a, b] = [centre(items, { i: 0, f: 0 }), centre(items, { i: Math.max(0, samples - 1), f: 0 })];
    return Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]) > extent / 3;
}

function scaleOf(items: Item[], samples: number): number {
    const shown = items.filter((item) => item.kind !== "trace" && item.kind !== "text");
    let most = 0;
    const at = [0, 0, 0];
    for (let k = 0; k < Math.min(INSTANTS, samples); k++) {
        const place = { i: Math.round((k * (samples - 1)) / Math.max(1, INSTANTS - 1)), f: 0 };
        const box: Box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
        for (const item of shown)
            for (const track of item.kind === "arrow" ? [item.at] : [item.at, item.to]) {
                track?.read(place, at);
                if (track) grow(box, Float64Array.from(at), reach(item));
            }
        const size = Math.hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
        if (Number.isFinite(size) && size > most) most = size;
    }
    return most;
}

function moving(items: Item[]): Item[] {
    return items.filter((item) => item.at.moves && item.kind !== "trace" && item.kind !== "text");
}

// Where the moving things are, on the whole: what a view that follows them keeps in its middle.
export function centre(items: Item[], place: Place): Vector3 {
    const some = moving(items).slice(0, CENTRED);
    const mean: Vector3 = [0, 0, 0];
    const at = [0, 0, 0];
    for (const item of some) {
        item.at.read(place, at);
        for (let k = 0; k < 3; k++) mean[k] += (Number.isFinite(at[k]) ? at[k] : 0) / some.length;
    }
    return mean;
}

// Some thousand points of where things are during the run, so that a view can be fitted to them and not to their box: x, y,
// z, and how far something reaches from there. For a view that follows, as seen from the centre, and without traces.
export function cloud(scene: Scene, follows: boolean): Numbers {
    const items = scene.items.filter((item) => !follows || item.kind !== "trace");
    const points: number[] = [];
    const room = Math.max(4, Math.floor(6000 / Math.max(1, items.length)));
    const every = Math.ceil(items.length / 2000);
    const at = [0, 0, 0];
    const samples = follows ? Math.min(INSTANTS, room, scene.times.length) : Math.min(room, scene.times.length);
    for (let n = 0; n < samples; n++) {
        const place = { i: Math.round((n * (scene.times.length - 1)) / Math.max(1, samples - 1)), f: 0 };
        const origin = follows ? centre(scene.items, place) : [0, 0, 0];
        for (let k = 0; k < items.length; k += every)
            for (const track of [items[k].at, items[k].kind === "arrow" ? null : items[k].to]) {
                if (!track || (n > 0 && !track.moves && !follows)) continue;
                track.read(place, at);
                points.push(at[0] - origin[0], at[1] - origin[1], at[2] - origin[2], reach(items[k]));
            }
    }
    return Float64Array.from(points);
}

// Where the tips of force arrows are, in the same way.
export function tips(scene: Scene, factor: number): Numbers {
    const points: number[] = [];
    const [at, force] = [[0, 0, 0], [0, 0, 0]];
    const samples = Math.min(60, scene.times.length);
    for (let n = 0; n < samples; n++) {
        const place = { i: Math.round((n * (scene.times.length - 1)) / Math.max(1, samples - 1)), f: 0 };
        for (const item of scene.forces) {
            item.at.read(place, at);
            item.force.read(place, force);
            // rare peaks leave the picture rather than make all else small
            const part = Math.min(1, scene.largestForce / (Math.hypot(...force) || 1));
            points.push(...at.map((v, k) => v + factor * part * force[k]), 0);
        }
    }
    return Float64Array.from(points);
}

// The largest force of the run but for rare peaks: the 95th percentile of each, the largest of those.
function largest(vectors: Numbers[], width: number): number {
    let most = 0;
    for (const v of vectors) {
        const norms: number[] = [];
        const stride = width * Math.max(1, Math.floor(v.length / width / 500));
        for (let i = 0; i + width <= v.length; i += stride) {
            const n = Math.hypot(...v.subarray(i, i + width));
            if (Number.isFinite(n)) norms.push(n);
        }
        norms.sort((a, b) => a - b);
        if (norms.length > 0) most = Math.max(most, norms[Math.floor(0.95 * (norms.length - 1))]);
    }
    return most;
}

// Torques that are nothing beside the forces, at arms as long as the scene, are rounding.
function largestTorque(forces: ForceItem[], scale: number, force: number): number {
    const torques = forces.flatMap((f) => (f.torque ? [f.torque] : []));
    const most = Math.max(largest(torques.filter((t) => t.width === 1).map((t) => t.values), 1), largest(torques.filter((t) => t.width === 3).map((t) => t.values), 3));
    return most > 1e-6 * scale * force ? most : 0;
}

// The vector a turn makes of another: v + 2 q0 (q x v) + 2 q x (q x v).
export function turnVector(q: ArrayLike<number>, x: number, y: number, z: number): Vector3 {
    const [w, a, b, c] = [q[0], q[1], q[2], q[3]];
    const ux = 2 * (b * z - c * y);
    const uy = 2 * (c * x - a * z);
    const uz = 2 * (a * y - b * x);
    return [x + w * ux + b * uz - c * uy, y + w * uy + c * ux - a * uz, z + w * uz + a * uy - b * ux];
}

// Several items make one glyph: one of them has its name.
export function isNamed(item: Item): boolean {
    return item.label !== "" && item.kind !== "trace" && (item.glyph === "" || item.named);
}

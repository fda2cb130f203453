// What is to be drawn, from the data of a run; knows nothing of how. Both renderers draw the same scene.
import type { Box } from "./camera";
import type { Place } from "./clock";
import type { Draw, Numbers, Outline, Run, Vector3 } from "./data";
import { meshOf, type Mesh } from "./mesh";
import { Track } from "./track";

// A drawing, its tracks to be read at any time.
export interface Item extends Omit<Draw, "at" | "to" | "turn" | "outline" | "mesh"> {
    at: Track;
    to: Track | null;
    turn: Track | null;
    shape: Outline | null;
    mesh: Mesh | null;
    key: string; // shapes and meshes of one key look alike
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

export const GROUND = -3; // the colour of what does not move
const INSTANTS = 24; // at which a view that follows is fitted
const ROUNDING = 1e-9; // of other forces
const CENTRED = 100; // things, the mean of which a view follows

export function mirrored([a, b, c]: Vector3): boolean {
    return a * b * c < 0;
}

// Of the box about a mesh, in its own axes; none where there is no mesh.
function corners(item: Item): Vector3[] {
    const { mesh, size } = item;
    if (!mesh) return [];
    return Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((k) => size[k] * ((i >> k) & 1 ? mesh.high : mesh.low)[k]) as Vector3);
}

// How far a body reaches from its point.
function reach(item: Item): number {
    const [a, b, c] = item.size;
    switch (item.kind) {
        case "box": return Math.hypot(a, b, c) / 2 + Math.hypot(...item.offset);
        case "cylinder": return Math.hypot(a, b / 2) + Math.hypot(...item.offset);
        case "outline": return a + Math.hypot(...item.offset);
        case "ellipsoid": return Math.max(a, b, c);
        case "mesh": return item.reach;
        case "circle":
        case "sphere": return Array.from(item.radii ?? [a]).reduce((m, r) => Math.max(m, r || 0), 0);
        default: return 0;
    }
}

// like: of the same things, whose sizes it takes
export function makeScene(run: Run, like: Scene | null = null): Scene {
    const { times, scene } = run;
    const items = run.draws.map((draw): Item => ({
        ...draw,
        text: draw.text || draw.label,
        at: new Track(draw.at, 3, times),
        to: draw.to && new Track(draw.to, 3, times),
        turn: draw.turn && new Track(draw.turn, 4, times),
        shape: run.outlines[draw.outline] ?? null,
        mesh: meshOf(draw.mesh, run.files[draw.mesh]),
        key: draw.kind === "mesh" ? (mirrored(draw.size) ? "mirrored " : "") + draw.mesh : String(draw.outline),
    }));
    const forces = run.forces.map((f): ForceItem => ({
        label: f.constraint, at: new Track(f.at, 3, times), force: new Track(f.force, 3, times),
        torque: f.torque.length > 0 ? new Track(f.torque, f.torque.length === 1 || f.torque.length === times.length ? 1 : 3, times) : null,
    }));
    if (like) return { ...like, items, forces, times };
    const largestForce = felt(run, forces, scene.scale);
    return {
        dimension: run.dimension, up: run.up, items, forces, largestForce, largestTorque: largestTorque(forces, scene.scale, largestForce),
        box: { min: scene.low, max: scene.high }, extent: Math.hypot(...scene.high.map((v, k) => v - scene.low[k])) || 1,
        scale: scene.scale, far: scene.far, travels: scene.travels, times,
    };
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

// Much less thick than wide: seen from its side it is small.
function isFlat(item: Item): boolean {
    const [radius, height] = item.size;
    return item.turn !== null && (item.kind === "outline" || (item.kind === "cylinder" && height < radius));
}

function pushCorners(points: number[], item: Item, at: number[], place: Place): void {
    const turn = [1, 0, 0, 0];
    item.turn?.readTurn(place, turn);
    for (const corner of corners(item)) points.push(...turnVector(turn, ...corner).map((v, k) => at[k] + v), 0);
}

function pushRim(points: number[], item: Item, at: number[], place: Place): void {
    const turn = [1, 0, 0, 0];
    item.turn!.readTurn(place, turn);
    const [dx, dy, dz] = turnVector(turn, ...item.offset);
    for (let k = 0; k < 8; k++) {
        const angle = (k * Math.PI) / 4;
        const [x, y, z] = turnVector(turn, item.size[0] * Math.cos(angle), item.size[0] * Math.sin(angle), 0);
        points.push(at[0] + dx + x, at[1] + dy + y, at[2] + dz + z, 0);
    }
}

// Some thousand points of where things are during the run, so that a view can be fitted to them and not to their box: x, y,
// z, and how far something reaches from there. For a view that follows, as seen from the centre, and without traces.
export function cloud(scene: Scene, follows: boolean, wanted: (item: Item) => boolean = () => true): Numbers {
    const items = scene.items.filter((item) => (!follows || item.kind !== "trace") && wanted(item));
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
                for (let d = 0; d < 3; d++) at[d] -= origin[d];
                if (items[k].mesh) pushCorners(points, items[k], at, place);
                else if (isFlat(items[k])) pushRim(points, items[k], at, place);
                else points.push(at[0], at[1], at[2], reach(items[k]));
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

// The largest constraint force; 0 where all are rounding: within their accuracy, or nothing beside what the same constraints
// do as torques, at arms as long as the scene, and beside what else acts on the bodies.
function felt(run: Run, forces: ForceItem[], scale: number): number {
    const found = largest(run.forces.map((f) => f.force), 3);
    const accuracy = Math.max(...run.forces.map((f) => f.accuracy));
    const torques = forces.flatMap((f) => (f.torque ? [f.torque] : []));
    const turning = Math.max(...[1, 3].map((width) => largest(torques.filter((t) => t.width === width).map((t) => t.values), width)));
    const others = largest(run.bodies.flatMap((b) => [b.weight, b.active, b.inertia]), 3);
    return found > accuracy && found > ROUNDING * Math.max(others, turning / scale) ? found : 0;
}

// Torques that are nothing beside the forces, at arms as long as the scene, are rounding.
function largestTorque(forces: ForceItem[], scale: number, force: number): number {
    const torques = forces.flatMap((f) => (f.torque ? [f.torque] : []));
    const most = Math.max(largest(torques.filter((t) => t.width === 1).map((t) => t.values), 1), largest(torques.filter((t) => t.width === 3).map((t) => t.values), 3));
    return most > 1e-6 * scale * force ? most : 0;
}

// The turn that takes z to a direction.
export function turnTo(x: number, y: number, z: number): [number, number, number, number] {
    const n = Math.hypot(x, y, z) || 1;
    if (z / n < -1 + 1e-9) return [0, 1, 0, 0];
    const w = Math.sqrt((1 + z / n) / 2);
    return [w, -y / n / (2 * w), x / n / (2 * w), 0];
}

// The vector a turn makes of another: v + 2 q0 (q x v) + 2 q x (q x v).
export function turnVector(q: ArrayLike<number>, x: number, y: number, z: number): Vector3 {
    const [w, a, b, c] = [q[0], q[1], q[2], q[3]];
    const ux = 2 * (b * z - c * y);
    const uy = 2 * (c * x - a * z);
    const uz = 2 * (a * y - b * x);
    return [x + w * ux + b * uz - c * uy, y + w * uy + c * ux - a * uz, z + w * uz + a * uy - b * ux];
}

// What makes a mechanism what it is: not the pieces of its joints.
export function isTelling(item: Item): boolean {
    return item.kind !== "text" && (item.glyph === "" || item.shape !== null);
}

// Several items make one glyph: one of them has its name.
export function isNamed(item: Item): boolean {
    return item.label !== "" && item.kind !== "trace" && (item.glyph === "" || item.named);
}

// Joints as they look: pins with their forks, ball sockets, crosses, guides with sliding blocks, wheels with spokes, gears
// whose teeth mesh, racks, and what holds them to the ground. They are made of the same items as everything else, sized by
// the scene, and are added to what a model draws.
import type { Joint, Numbers, Run } from "./data";
import { bracket, gear, hatching, plate, rack, rectangle, teethOf, wheel, type Shape } from "./shapes";
import { Track } from "./track";
import { turnVector, type Item } from "./scene";

type Vector = [number, number, number];

export const METAL = -1;
export const GROUND = -3;
const SLIDES = ["prismatic", "cylindrical"];

const conjugate = (q: ArrayLike<number>): number[] => [q[0], -q[1], -q[2], -q[3]];
const product = (a: ArrayLike<number>, b: ArrayLike<number>): number[] => [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
];

const S = Math.SQRT1_2;
export const X_TO_Z = [S, 0, S, 0]; // takes z to x

// Turns, each followed by a fixed one before it.
function turned(turns: Numbers, first: number[]): Numbers {
    const made = new Float64Array(turns.length);
    for (let i = 0; i + 3 < turns.length; i += 4) made.set(product(turns.subarray(i, i + 4), first), i);
    return made;
}

const vectorAt = (v: Numbers, i: number): Vector => (v.length > 3 * i + 2 ? [v[3 * i], v[3 * i + 1], v[3 * i + 2]] : [v[0], v[1], v[2]]);
const turnAt = (v: Numbers, i: number): number[] => Array.from(v.length > 4 * i + 3 ? v.subarray(4 * i, 4 * i + 4) : v.subarray(0, 4));

class Maker {
    readonly items: Item[] = [];
    private readonly byName: Map<string, Joint>;
    private readonly colours = new Map<string, number>();
    private readonly shaped = new Set<string>(); // bodies that are drawn as something solid

    constructor(private readonly run: Run, known: Item[], private readonly u: number) {
        this.byName = new Map(run.joints.map((j) => [j.name, j]));
        for (const item of known)
            if (item.kind !== "point" && item.colour >= 0 && item.kind !== "trace" && item.kind !== "arrow") {
                this.colours.set(item.label, item.colour);
                this.shaped.add(item.label);
            }
    }

    private colour(body: string): number {
        return this.colours.get(body) ?? METAL;
    }

    private add(j: { name: string; kind: string }, kind: Item["kind"], at: Numbers, turn: Numbers | null, size: Vector, colour: number,
                more: Partial<Item> = {}): void {
        const { times } = this.run;
        this.items.push({
            kind, label: j.name, text: "", at: new Track(at, 3, times), to: null, turn: turn && new Track(turn, 4, times), size,
            radii: null, colour, glyph: j.kind, offset: [0, 0, 0], shape: null, layer: 2, named: !this.items.some((i) => i.label === j.name), ...more,
        });
    }

    private shape(j: { name: string; kind: string }, at: Numbers, turn: Numbers | null, shape: Shape, colour: number, layer: number, offset: Vector = [0, 0, 0]): void {
        const reach = Math.max(...shape.loops.flat().map(([x, y]) => Math.hypot(x, y)), 0);
        this.add(j, "mesh", at, turn, [reach, reach, shape.depth], colour, { shape, layer, offset });
    }

    // --- what stands still -------------------------------------------------------------------------------------------

    // A pin of the ground stands on something.
    private support(j: Joint): void {
        const { u } = this;
        if (!j.of.includes("ground")) return;
        if (j.plane) {
            this.shape(j, j.at, null, bracket(u), GROUND, 0.5);
            return;
        }
        const up = this.run.up === "z" ? 2 : 1;
        const below = (d: number): Vector => [0, up === 1 ? -d : 0, up === 2 ? -d : 0];
        const sized = (a: number, h: number): Vector => (up === 2 ? [a, a, h] : [a, h, a]);
        this.add(j, "box", j.at, null, sized(1.1 * u, 2.4 * u), GROUND, { offset: below(1.4 * u) });
        this.add(j, "box", j.at, null, sized(3.4 * u, 0.5 * u), GROUND, { offset: below(2.8 * u) });
    }

    // --- joints ------------------------------------------------------------------------------------------------------

    revolute(j: Joint): void {
        const { u } = this;
        this.support(j);
        if (j.plane) {
            this.add(j, "pin", j.at, null, [0.5 * u, 0, 0], METAL, { layer: 3.2 });
            return;
        }
        // a knuckle of one body between two of the other, and the pin through them
        this.add(j, "cylinder", j.at, j.turn, [0.42 * u, 3.6 * u, 0], METAL);
        this.add(j, "cylinder", j.at, j.turn2, [0.85 * u, 1.1 * u, 0], this.colour(j.of[1]));
        for (const side of [-1, 1])
            this.add(j, "cylinder", j.at, j.turn, [0.85 * u, 0.7 * u, 0], j.of[0] === "ground" ? GROUND : this.colour(j.of[0]), { offset: [0, 0, side * 1.0 * u] });
    }

    spherical(j: Joint): void {
        const { u } = this;
        this.support(j);
        this.add(j, "sphere", j.at, null, [0.9 * u, 0, 0], this.colour(j.of[1]));
        this.add(j, "cylinder", j.at, j.turn, [1.15 * u, 0.7 * u, 0], j.of[0] === "ground" ? GROUND : METAL);
    }

    universal(j: Joint): void {
        const { u } = this;
        this.add(j, "cylinder", j.at, j.turn, [0.4 * u, 3.2 * u, 0], METAL);
        this.add(j, "cylinder", j.at, j.turn2, [0.4 * u, 3.2 * u, 0], METAL);
        this.add(j, "sphere", j.at, null, [0.8 * u, 0, 0], METAL);
        for (const [turn, body] of [[j.turn, j.of[0]], [j.turn2, j.of[1]]] as const)
            for (const side of [-1, 1])
                this.add(j, "cylinder", j.at, turn, [0.75 * u, 0.5 * u, 0], this.colour(body), { offset: [0, 0, side * 1.5 * u] });
        this.support(j);
    }

    fixed(j: Joint): void {
        this.support(j);
        this.add(j, "box", j.at, j.turn, [this.u, this.u, this.u], METAL, { layer: 2.5 });
    }

    planar(j: Joint): void {
        const { u } = this;
        this.add(j, "cylinder", j.to, j.turn, [1.2 * u, 0.5 * u, 0], this.colour(j.of[1]));
        this.add(j, "box", j.at, j.turn, [14 * u, 14 * u, 0.3 * u], GROUND, { offset: [0, 0, -0.5 * u] });
    }

    // Where the block is against the rail's frame, over the run: sideways, and from where to where along z.
    private way(j: Joint, flipped: boolean): { side: Vector; from: number; to: number } {
        const [frame, origin, block] = flipped ? [j.turn2, j.to, j.at] : [j.turn, j.at, j.to];
        const samples = Math.max(1, this.run.times.length);
        let [from, to] = [Infinity, -Infinity];
        let side: Vector = [0, 0, 0];
        for (let i = 0; i < samples; i += Math.max(1, Math.floor(samples / 400))) {
            const [a, b] = [vectorAt(origin, i), vectorAt(block, i)];
            const local = turnVector(conjugate(turnAt(frame, i)), b[0] - a[0], b[1] - a[1], b[2] - a[2]);
            if (i === 0) side = [local[0], local[1], 0];
            from = Math.min(from, local[2]);
            to = Math.max(to, local[2]);
        }
        return Number.isFinite(to - from) ? { side, from, to } : { side, from: 0, to: 0 };
    }

    slide(j: Joint): void {
        const { u } = this;
        const flipped = j.of[1] === "ground"; // the rail is of the body that stands still, else of the first
        const [frame, origin, blockFrame, block] = flipped ? [j.turn2, j.to, j.turn, j.at] : [j.turn, j.at, j.turn2, j.to];
        const [carrier, slider] = flipped ? [j.of[1], j.of[0]] : j.of;
        const { side, from, to } = this.way(j, flipped);
        const length = to - from + 8 * u;
        const middle: Vector = [side[0], side[1], (from + to) / 2];
        const fixed = carrier === "ground";
        const shown = this.shaped.has(slider);
        if (j.plane) {
            // the frame's z runs along the guide, which is drawn along its own x
            const along = (q: Numbers): Numbers => turned(q, conjugate(X_TO_Z));
            const line: Shape = {
                key: `guide ${length} ${fixed}`, depth: 0.4 * u, loops: fixed ? [] : [rectangle(length, 0.5 * u)],
                lines: fixed ? [...hatching(-length / 2, length / 2, -1.05 * u, 0.8 * u), ...hatching(-length / 2, length / 2, 1.05 * u, 0.8 * u, false)] : [],
            };
            this.shape(j, origin, along(frame), line, fixed ? GROUND : this.colour(carrier), 0.6, [middle[2], middle[1], -middle[0]]);
            if (!shown) this.shape(j, block, along(blockFrame), { key: `block ${u}`, depth: u, loops: [rectangle(3 * u, 1.9 * u)], lines: [] }, 1, 2);
            return;
        }
        const colour = fixed ? GROUND : METAL;
        if (j.kind === "cylindrical") this.add(j, "cylinder", origin, frame, [0.5 * u, length, 0], colour, { offset: middle });
        else this.add(j, "box", origin, frame, [0.7 * u, 0.7 * u, length], colour, { offset: middle });
        if (fixed) for (const end of [-1, 1]) this.add(j, "box", origin, frame, [2.2 * u, 2.2 * u, 0.6 * u], colour, { offset: [side[0], side[1], middle[2] + end * (length / 2)] });
        if (shown) return;
        if (j.kind === "cylindrical") this.add(j, "cylinder", block, blockFrame, [1.1 * u, 2.6 * u, 0], this.colour(slider) < 0 ? 1 : this.colour(slider));
        else this.add(j, "box", block, blockFrame, [1.9 * u, 1.9 * u, 3 * u], this.colour(slider) < 0 ? 1 : this.colour(slider));
    }

    // Axis of the wheel: the z of its frame; its centre is `to`.
    rolling(j: Joint): void {
        const { u } = this;
        const r = j.size[0];
        const body = j.of[1];
        if (j.kind === "rolling") this.shape(j, j.to, j.turn2, wheel(r, Math.min(0.1 * r, 1.4 * u)), this.colour(body) < 0 ? 0 : this.colour(body), 2);
        if (j.plane && j.of[0] === "ground") this.floor(j, r);
    }

    // Hatched ground under a wheel of the plane, as far as it rolls.
    private floor(j: Joint, r: number): void {
        const q = turnAt(j.turn, 0);
        let [from, to] = [Infinity, -Infinity];
        for (let i = 0; i < Math.max(1, this.run.times.length); i++) {
            const [a, b] = [vectorAt(j.at, i), vectorAt(j.to, i)];
            const x = turnVector(conjugate(q), b[0] - a[0], b[1] - a[1], b[2] - a[2])[0];
            from = Math.min(from, x);
            to = Math.max(to, x);
        }
        if (!Number.isFinite(to - from)) return;
        const [low, high] = [from - 1.5 * r, to + 1.5 * r];
        this.shape(j, j.at, j.turn, { key: `floor ${j.name}`, depth: 0, loops: [], lines: hatching(low, high, 0, this.u) }, GROUND, 0.4);
    }

    // --- couplings ---------------------------------------------------------------------------------------------------

    // The body that turns in a joint, with its centre and its frame.
    private turning(name: string): { joint: Joint; at: Numbers; turn: Numbers; body: string } | null {
        const joint = this.byName.get(name);
        if (!joint || joint.turn.length < 4) return null;
        const first = joint.of[1] === "ground";
        return { joint, at: first ? joint.at : joint.to, turn: first ? joint.turn : joint.turn2, body: first ? joint.of[0] : joint.of[1] };
    }

    // The angle at which a direction of the world stands in a frame at the start.
    private angleIn(turn: Numbers, [x, y, z]: Vector): number {
        const local = turnVector(conjugate(turnAt(turn, 0)), x, y, z);
        return Math.atan2(local[1], local[0]);
    }

    gear(j: Joint): void {
        const [a, b] = [this.turning(j.of[0]), this.turning(j.of[1])];
        const ratio = Math.abs(j.size[0]);
        if (!a || !b || !(ratio > 0)) return;
        const [p, q] = [vectorAt(a.at, 0), vectorAt(b.at, 0)];
        const d: Vector = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
        const axis = turnVector(turnAt(a.turn, 0), 0, 0, 1);
        const lift = d[0] * axis[0] + d[1] * axis[1] + d[2] * axis[2];
        const apart = Math.hypot(d[0] - lift * axis[0], d[1] - lift * axis[1], d[2] - lift * axis[2]);
        if (!(apart > 1e-6)) return;
        // the faster wheel is the smaller one: r1 w1 = r2 w2
        const [r1, r2] = [(apart * ratio) / (1 + ratio), apart / (1 + ratio)];
        const [z1, z2] = teethOf(ratio);
        const depth = Math.min(0.25 * Math.min(r1, r2), 2.5 * this.u);
        const sees = this.angleIn(a.turn, d);
        const seen = this.angleIn(b.turn, [-d[0], -d[1], -d[2]]);
        this.shape(j, a.at, a.turn, gear(r1, z1, sees, depth), this.colourOf(a.body, 0), 1.5);
        this.shape(j, b.at, b.turn, gear(r2, z2, seen + Math.PI / z2, depth), this.colourOf(b.body, 1), 1.5);
    }

    rack(j: Joint): void {
        const a = this.turning(j.of[0]);
        const slide = this.byName.get(j.of[1]);
        const r = Math.abs(j.size[0]);
        if (!a || !slide || !(r > 0)) return;
        const first = slide.of[1] === "ground";
        const [bar, barTurn] = first ? [slide.at, slide.turn] : [slide.to, slide.turn2];
        const teeth = 20;
        const depth = Math.min(0.3 * r, 2.5 * this.u);
        const axis = turnVector(turnAt(a.turn, 0), 0, 0, 1);
        const along = turnVector(turnAt(barTurn, 0), 0, 0, 1);
        // from the wheel's centre to the pitch line: square to both, on that side on which the wheel drives it along
        const side: Vector = [along[1] * axis[2] - along[2] * axis[1], along[2] * axis[0] - along[0] * axis[2], along[0] * axis[1] - along[1] * axis[0]];
        const sign = j.size[0] > 0 ? 1 : -1;
        const n: Vector = [sign * side[0], sign * side[1], sign * side[2]];
        const centre = vectorAt(a.at, 0);
        const from = vectorAt(bar, 0);
        const touch: Vector = [centre[0] + r * n[0], centre[1] + r * n[1], centre[2] + r * n[2]];
        // the rack's own axes: x along the slide, y away from the wheel, fixed in its body
        const back = conjugate(turnAt(barTurn, 0));
        const frame = frameOf(turnVector(back, ...along), turnVector(back, ...n));
        const turn = turned(barTurn, frame);
        const local = turnVector(conjugate(turnAt(turn, 0)), touch[0] - from[0], touch[1] - from[1], touch[2] - from[2]);
        let [low, high] = [Infinity, -Infinity];
        for (let i = 0; i < Math.max(1, this.run.times.length); i++) {
            const b = vectorAt(bar, i);
            const s = (b[0] - from[0]) * along[0] + (b[1] - from[1]) * along[1] + (b[2] - from[2]) * along[2];
            low = Math.min(low, s);
            high = Math.max(high, s);
        }
        if (!Number.isFinite(high - low)) return;
        const module = (2 * r) / teeth;
        const most = 60 * r; // longer ones run away under the wheel
        this.shape(j, a.at, a.turn, gear(r, teeth, this.angleIn(a.turn, n), depth), this.colourOf(a.body, 0), 1.6);
        this.shape(j, bar, turn, rack(Math.max(-high, -most) - 2 * r, Math.min(-low, most) + 2 * r, module, false, depth), this.colourOf(slide.of[first ? 0 : 1], 2), 1.4, local);
    }

    private colourOf(body: string, other: number): number {
        const known = this.colour(body);
        return known < 0 ? other : known;
    }

    // --- bodies without a shape that join three points or more ----------------------------------------------------------

    plates(): void {
        for (const d of this.run.draws)
            if (d.kind === "plate" && d.corners.length >= 3)
                this.shape({ name: d.label, kind: "plate" }, d.at, d.turn, plate(d.corners, 0.8 * this.u, 0.7 * this.u), this.colourOf(d.label, 0), 1.2);
    }

    all(): void {
        this.plates();
        for (const j of this.run.joints)
            if (SLIDES.includes(j.kind)) this.slide(j);
            else if (j.kind.startsWith("rolling")) this.rolling(j);
            else if (j.kind === "revolute" || j.kind === "spherical" || j.kind === "universal" || j.kind === "fixed" || j.kind === "planar" || j.kind === "gear" || j.kind === "rack")
                this[j.kind](j);
    }
}

// The turn whose x and y are these unit vectors.
function frameOf(x: Vector, y: Vector): number[] {
    const z: Vector = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
    const m = [x, y, z];
    const trace = x[0] + y[1] + z[2];
    if (trace > 0) {
        const w = Math.sqrt(1 + trace) / 2;
        return [w, (y[2] - z[1]) / (4 * w), (z[0] - x[2]) / (4 * w), (x[1] - y[0]) / (4 * w)];
    }
    const i = x[0] >= y[1] && x[0] >= z[2] ? 0 : y[1] >= z[2] ? 1 : 2;
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    const s = Math.sqrt(Math.max(1e-30, 1 + m[i][i] - m[j][j] - m[k][k])) / 2;
    const q = [(m[j][k] - m[k][j]) / (4 * s), 0, 0, 0];
    q[1 + i] = s;
    q[1 + j] = (m[i][j] + m[j][i]) / (4 * s);
    q[1 + k] = (m[i][k] + m[k][i]) / (4 * s);
    return q;
}

const MOST = 120; // joints, of which more are not drawn: nobody sees them

// Glyphs of a run's joints, and the items that they leave of those that are drawn: marks where joints are go, and so does
// what stands for a wheel.
export function addGlyphs(run: Run, items: Item[], scale: number): Item[] {
    if (run.joints.length === 0 && !run.draws.some((d) => d.kind === "plate")) return items;
    if (run.joints.length > MOST || !(scale > 0)) return items;
    const maker = new Maker(run, items, 0.016 * scale);
    maker.all();
    const joints = new Set(maker.items.map((i) => i.label));
    const wheels = new Set(run.joints.filter((j) => j.kind === "rolling").map((j) => j.of[1]));
    const geared = new Set<string>();
    const byName = new Map(run.joints.map((j) => [j.name, j]));
    for (const j of run.joints)
        if (j.kind === "gear" || j.kind === "rack") for (const name of j.of) for (const body of byName.get(name)?.of ?? []) geared.add(body);
    const kept = items.filter((item) => {
        if (item.kind === "point") return !joints.has(item.label);
        if (item.kind === "cylinder") return !wheels.has(item.label) || item.size[1] > 0.1 * item.size[0];
        return !(geared.has(item.label) && (item.kind === "ellipsoid" || item.kind === "box"));
    });
    return [...kept, ...maker.items];
}

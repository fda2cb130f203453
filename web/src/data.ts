// The data of a run, as the C program writes it into the page or serves it at /data, and its reading.
// What is missing is empty: a page must open even if it comes from an older or newer program.

import { formula } from "./format";

export type Numbers = Float64Array | Float32Array;

// Outlines and pins of the plane are of joints.
export type DrawKind =
    | "line" | "circle" | "trace" | "arrow" | "box" | "spring" | "point" | "text" | "sphere" | "cylinder" | "ellipsoid" | "ground" | "outline" | "pin" | "mesh";

// What varies by no more than its accuracy is constant, as far as anybody knows; 0: that is not told.
export interface Manner { shown: string; accuracy: number } // the name as it is printed
export interface Column extends Manner { name: string; kind: string; values: Numbers }
export interface Series extends Manner { label: string; values: Numbers }
// What the model says of an axis; no label: that of what it shows; no end: as far as the numbers go.
export interface Axis { label: string; from: number | null; to: number | null; log: boolean }
export const PLAIN: Axis = { label: "", from: null, to: null, log: false };
export interface Plot { title: string; equal: boolean; axes: [Axis, Axis]; x: Series; series: Series[] } // equal: both axes have one scale
// whole: bounds and indices depend on it; derived: it is made of others
export interface Parameter { name: string; value: number; text: string; whole: boolean; derived: boolean }

export const OWN_COLOUR = 1 << 24;

export type Vector3 = [number, number, number];
export type Point = [number, number];

// What joints are made of, in the plane of their x and y: filled between its loops, and as thick as it is deep.
export interface Outline { loops: Point[][]; lines: Point[][]; depth: number }

// Points and vectors: three numbers for each sample, or three in all for what does not move; turns: four.
export interface Draw {
    kind: DrawKind;
    label: string;
    at: Numbers;
    to: Numbers | null; // second point; of an arrow the vector
    turn: Numbers | null;
    size: Vector3; // edges of a box, half axes of an ellipsoid, radius and height of a cylinder, factors of a mesh, radius of the rest
    radii: Numbers | null; // of a circle whose radius changes: one for each sample
    text: string;
    colour: number; // a number of the palette; -1 is ink, -3 what does not move; from OWN_COLOUR on its own, 0xRRGGBB
    glyph: string; // the kind of joint that it is of, or ""
    offset: Vector3; // from its point, in its own axes
    outline: number; // which of them; -1: none
    mesh: string; // its file; "": none
    reach: number; // of a mesh, from its point
    named: boolean; // its name stands here
    layer: number; // in the plane: what is above what; 0: as its kind has it
}
// How large all of it is; scale: the largest diagonal of what is drawn at one instant, but for traces.
export interface Measures { low: Vector3; high: Vector3; scale: number; far: boolean; travels: boolean }
// A torque has one number for each sample in the plane, three in space; empty: there is none. On: the bodies, of which the
// force acts on the second, and the opposite on the first.
export interface Force { constraint: string; at: Numbers; force: Numbers; accuracy: number; torque: Numbers; on: [string, string] | null }

// What acts on bodies beside constraints: a spring, an applied force or torque, friction of a joint.
export interface Load extends Force { kind: string }

// At its centre: active is what is given, with its weight; constraint, what all constraints do, friction included; inertia, - m a.
// Torques are about the centre, and empty of particles.
export interface Body {
    name: string; jointsOnly: boolean; at: Numbers; weight: Numbers; active: Numbers; constraint: Numbers; inertia: Numbers;
    activeTorque: Numbers; constraintTorque: Numbers; inertiaTorque: Numbers;
}

export interface Residual { worst: number | null; at?: number | null; velocity?: number | null; allowed?: number | null }
export interface Expectation { text: string; holds: boolean; worst?: number | null; at?: number | null }
export interface Summary {
    coordinates?: number;
    constraints?: number;
    rank?: number;
    degrees_of_freedom?: number;
    formulation?: string;
    integrator?: string;
    tolerance?: number;
    steps?: number;
    rejected?: number;
    evaluations?: number;
    seconds?: Record<string, number>;
    final?: Record<string, number | null>;
    residual?: Record<string, Residual>;
    energy?: { start?: number | null; end?: number | null; worst_relative_drift?: number | null };
    balance?: { worst_relative?: number | null; at?: number | null; work?: Record<string, number | null> };
    redundant?: string[];
    rank_changes?: unknown[];
    expectations?: Expectation[];
    warnings?: string[];
    error?: { message?: string; time?: number | null; constraint?: string | null };
}

export interface Run {
    title: string;
    model: string;
    text: string;
    summary: Summary;
    messages: string;
    equations: string;
    latex: string;
    times: Numbers;
    columns: Column[];
    leftOut: string[]; // kinds of columns, or draws
    plots: Plot[];
    draws: Draw[];
    outlines: Outline[];
    scene: Measures;
    forces: Force[];
    loads: Load[];
    bodies: Body[];
    dimension: 2 | 3;
    up: "y" | "z";
    parameters: Parameter[];
    settings: [name: string, expression: string][]; // of parameters, and options, with which it was run
    options: [name: string, value: string][];
    files: Record<string, string>; // that the model includes, and its meshes
    served: boolean;
    error: string;
}

export type Json = Record<string, unknown>;

const KINDS: readonly string[] =
    ["line", "circle", "trace", "arrow", "box", "spring", "point", "text", "sphere", "cylinder", "ellipsoid", "ground", "outline", "pin", "mesh"];

export function object(value: unknown): Json {
    return typeof value === "object" && value !== null ? (value as Json) : {};
}

export function string(value: unknown): string {
    return typeof value === "string" ? value : "";
}

export function list(value: unknown): Json[] {
    return Array.isArray(value) ? value.map(object) : [];
}

function named(names: unknown, name: unknown): boolean {
    return Array.isArray(names) && names.includes(name);
}

function textPairs(value: unknown): [string, string][] {
    return (Array.isArray(value) ? value : []).map((pair: unknown) => (Array.isArray(pair) ? [string(pair[0]), string(pair[1])] : ["", ""]));
}

export function bytes(value: unknown): ArrayBuffer {
    const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }; // of browsers since 2025
    if (fromBase64) return fromBase64.call(Uint8Array, string(value)).buffer;
    const raw = atob(string(value));
    const out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
    return out.buffer;
}

// One for each sample.
export function doubles(value: unknown): Numbers {
    return new Float64Array(bytes(value));
}

function manner(json: Json, name: string): Manner {
    return { shown: string(json["shown"]) || formula(name), accuracy: Number(json["accuracy"] ?? 0) };
}

function readSeries(json: Json): Series {
    const label = string(json["label"]);
    return { label, ...manner(json, label), values: doubles(json["values"]) };
}

// Its numbers are read when they are asked for: of a thousand bodies there are 25 000 columns, of which a few are looked at.
function readColumn(json: Json): Column {
    const name = string(json["name"]);
    let text = json["values"];
    let values: Numbers | null = null;
    return {
        name, ...manner(json, name), kind: string(json["kind"]),
        get values() {
            values ??= doubles(text);
            text = null;
            return values;
        },
    };
}

// Of drawings and forces: the number of a track, or numbers that stay. In the plane, points have no z.
export class Tracks {
    protected readonly tracks: Numbers[];
    protected readonly points = new Map<number, Numbers>();

    constructor(value: unknown, private readonly dimension: 2 | 3) {
        this.tracks = (Array.isArray(value) ? value : []).map((t) => this.samples(new Float32Array(bytes(t))));
    }

    protected samples(given: Float32Array): Numbers { return given; }

    read(value: unknown): Numbers {
        if (typeof value === "number") return this.tracks[value] ?? new Float32Array(0);
        return Float64Array.from(Array.isArray(value) ? value : [], (v) => (typeof v === "number" ? v : NaN));
    }

    readPoint(value: unknown): Numbers {
        if (this.dimension === 3 || typeof value !== "number") return this.dimension === 3 ? this.read(value) : lifted(this.read(value));
        const known = this.points.get(value) ?? lifted(this.read(value));
        this.points.set(value, known);
        return known;
    }
}

function lifted(plane: Numbers): Numbers {
    const space = new Float32Array((plane.length / 2) * 3);
    for (let i = 0; 2 * i < plane.length; i++) {
        space[3 * i] = plane[2 * i];
        space[3 * i + 1] = plane[2 * i + 1];
    }
    return space;
}

function vector(value: unknown): Vector3 {
    const v: unknown[] = Array.isArray(value) ? value : [];
    const part = (k: number): number => (typeof v[k] === "number" ? v[k] : 0);
    return [part(0), part(1), part(2)];
}

function readDraw(draw: Json, tracks: Tracks): Draw {
    const to = tracks.readPoint(draw["to"]);
    const turn = tracks.read(draw["turn"]);
    return {
        kind: string(draw["kind"]) as DrawKind,
        label: string(draw["label"]),
        at: tracks.readPoint(draw["at"]),
        to: to.length >= 3 ? to : null,
        turn: turn.length >= 4 ? turn : null,
        size: vector(draw["size"]),
        radii: typeof draw["size"] === "number" ? tracks.read(draw["size"]) : null,
        text: string(draw["text"]),
        colour: Number(draw["colour"] ?? -1),
        glyph: string(draw["joint"]),
        offset: vector(draw["offset"]),
        outline: Number(draw["outline"] ?? -1),
        mesh: string(draw["mesh"]),
        reach: Number(draw["reach"] ?? 0),
        named: draw["named"] !== false,
        layer: Number(draw["layer"] ?? 0),
    };
}

function pairs(value: unknown): Point[] {
    const v = Array.isArray(value) ? value.map(Number) : [];
    return Array.from({ length: Math.floor(v.length / 2) }, (_, i) => [v[2 * i], v[2 * i + 1]]);
}

function readOutline(outline: Json): Outline {
    const loops = (value: unknown): Point[][] => (Array.isArray(value) ? value : []).map(pairs);
    return { loops: loops(outline["loops"]), lines: loops(outline["lines"]), depth: Number(outline["depth"] ?? 0) };
}

function readMeasures(json: Json): Measures {
    return {
        low: vector(json["low"]), high: vector(json["high"]), scale: Number(json["scale"] ?? 1) || 1,
        far: json["far"] === true, travels: json["travels"] === true,
    };
}

function names(value: unknown): [string, string] | null {
    return Array.isArray(value) && value.length === 2 ? [string(value[0]), string(value[1])] : null;
}

function readForce(f: Json, tracks: Tracks): Force {
    return {
        constraint: string(f["constraint"]), at: tracks.readPoint(f["at"]), force: tracks.readPoint(f["force"]),
        accuracy: Number(f["accuracy"] ?? 0), torque: tracks.read(f["torque"]), on: names(f["on"]),
    };
}

function readAxis(axis: Json | undefined): Axis {
    const end = (value: unknown): number | null => (typeof value === "number" ? value : null);
    return axis ? { label: string(axis["label"]), from: end(axis["from"]), to: end(axis["to"]), log: axis["log"] === true } : PLAIN;
}

function readPlot(plot: Json): Plot {
    const axes = list(plot["axes"]);
    return {
        title: string(plot["title"]),
        equal: plot["equal"] === true,
        axes: [readAxis(axes[0]), readAxis(axes[1])],
        x: readSeries(object(plot["x"])),
        series: list(plot["series"]).map(readSeries),
    };
}

// What is drawn, of a page's data or of those of a motion that goes on.
export type Picture = Pick<Run, "times" | "draws" | "outlines" | "scene" | "forces" | "loads" | "bodies" | "dimension" | "up">;

export function dimensionOf(value: unknown): 2 | 3 {
    return object(value)["dimension"] === 3 ? 3 : 2;
}

export function readPicture(value: unknown, tracks: Tracks): Picture {
    const json = object(value);
    return {
        times: doubles(json["times"]),
        draws: list(json["draws"]).map((d) => readDraw(d, tracks)).filter((d) => KINDS.includes(d.kind) && d.at.length >= 3),
        outlines: list(json["outlines"]).map(readOutline),
        scene: readMeasures(object(json["scene"])),
        forces: list(json["forces"])
            .map((f) => readForce(f, tracks))
            .filter((f) => f.at.length >= 3 && f.force.length >= 3),
        loads: list(json["loads"]).map((f) => ({ ...readForce(f, tracks), constraint: string(f["load"]), kind: string(f["kind"]) })),
        bodies: list(json["bodies"]).map((b) => ({
            name: string(b["body"]), jointsOnly: b["joints_only"] === true, at: tracks.readPoint(b["at"]), weight: tracks.readPoint(b["weight"]),
            active: tracks.readPoint(b["active"]), constraint: tracks.readPoint(b["constraint"]), inertia: tracks.readPoint(b["inertia"]),
            activeTorque: tracks.read(b["active_torque"]), constraintTorque: tracks.read(b["constraint_torque"]), inertiaTorque: tracks.read(b["inertia_torque"]),
        })),
        dimension: dimensionOf(value),
        up: json["up"] === "z" ? "z" : "y",
    };
}

// Of a page that is served: the model is known, and a run of it is still to come.
export function isAwaited(run: Run): boolean {
    return run.served && run.times.length === 0 && run.error === "";
}

export function readRun(value: unknown): Run {
    const json = object(value);
    return {
        ...readPicture(value, new Tracks(json["tracks"], dimensionOf(value))),
        title: string(json["title"]),
        model: string(json["model"]),
        text: string(json["text"]),
        summary: object(json["summary"]),
        messages: string(json["messages"]),
        equations: string(json["equations"]),
        latex: string(json["latex"]),
        columns: list(json["columns"]).map(readColumn),
        leftOut: (Array.isArray(json["left_out"]) ? json["left_out"] : []).map(string),
        plots: list(json["plots"]).map(readPlot),
        parameters: list(json["parameters"]).map((p) => ({
            name: string(p["name"]), value: Number(p["value"] ?? NaN), text: string(p["text"]),
            whole: named(json["whole"], p["name"]), derived: named(json["derived"], p["name"]),
        })),
        settings: textPairs(json["settings"]),
        options: textPairs(json["options"]),
        files: Object.fromEntries(Object.entries(object(json["files"])).map(([name, text]) => [name, string(text)])),
        served: json["served"] === true,
        error: string(json["error"]),
    };
}

// The data of a run, as the C program writes it into the page or serves it at /data, and its reading.
// A value that is not finite is null there and NaN here. What is missing is empty: a page must open even if it
// comes from an older or newer program.

export type Numbers = Float64Array;

export type DrawKind =
    | "line" | "circle" | "trace" | "arrow" | "box" | "spring" | "point" | "text" | "sphere" | "cylinder" | "ellipsoid";

export interface Column { name: string; kind: string; values: Numbers }
export interface Series { label: string; values: Numbers }
export interface Plot { title: string; x: Series; series: Series[] }
export interface Parameter { name: string; value: number; text: string }

// Points and vectors: three numbers for each sample, or three in all for what does not move; turns: four.
export interface Draw {
    kind: DrawKind;
    label: string;
    at: Numbers;
    to: Numbers | null;
    turn: Numbers | null;
    size: Numbers;
    text: string;
}
export interface Force { constraint: string; at: Numbers; force: Numbers }

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
    times: Numbers;
    columns: Column[];
    plots: Plot[];
    draws: Draw[];
    forces: Force[];
    dimension: 2 | 3;
    up: "y" | "z";
    parameters: Parameter[];
    served: boolean;
    error: string;
}

type Json = Record<string, unknown>;

const KINDS: readonly string[] =
    ["line", "circle", "trace", "arrow", "box", "spring", "point", "text", "sphere", "cylinder", "ellipsoid"];

function object(value: unknown): Json {
    return typeof value === "object" && value !== null ? (value as Json) : {};
}

function string(value: unknown): string {
    return typeof value === "string" ? value : "";
}

function list(value: unknown): Json[] {
    return Array.isArray(value) ? value.map(object) : [];
}

function numbers(value: unknown): Numbers {
    if (typeof value === "number") return Float64Array.of(value);
    if (!Array.isArray(value)) return new Float64Array(0);
    return Float64Array.from(value, (v) => (typeof v === "number" ? v : NaN));
}

function readDraw(draw: Json): Draw {
    const to = numbers(draw["to"]);
    const turn = numbers(draw["turn"]);
    return {
        kind: string(draw["kind"]) as DrawKind,
        label: string(draw["label"]),
        at: numbers(draw["at"]),
        to: to.length >= 3 ? to : null,
        turn: turn.length >= 4 ? turn : null,
        size: numbers(draw["size"]),
        text: string(draw["text"]),
    };
}

function readPlot(plot: Json): Plot {
    const x = object(plot["x"]);
    return {
        title: string(plot["title"]),
        x: { label: string(x["label"]), values: numbers(x["values"]) },
        series: list(plot["series"]).map((s) => ({ label: string(s["label"]), values: numbers(s["values"]) })),
    };
}

export function readRun(value: unknown): Run {
    const json = object(value);
    return {
        title: string(json["title"]),
        model: string(json["model"]),
        text: string(json["text"]),
        summary: object(json["summary"]),
        messages: string(json["messages"]),
        equations: string(json["equations"]),
        times: numbers(json["times"]),
        columns: list(json["columns"]).map((c) => ({
            name: string(c["name"]), kind: string(c["kind"]), values: numbers(c["values"]),
        })),
        plots: list(json["plots"]).map(readPlot),
        draws: list(json["draws"]).map(readDraw).filter((d) => KINDS.includes(d.kind) && d.at.length >= 3),
        forces: list(json["forces"])
            .map((f) => ({ constraint: string(f["constraint"]), at: numbers(f["at"]), force: numbers(f["force"]) }))
            .filter((f) => f.at.length >= 3 && f.force.length >= 3),
        dimension: json["dimension"] === 3 ? 3 : 2,
        up: json["up"] === "z" ? "z" : "y",
        parameters: list(json["parameters"]).map((p) => ({
            name: string(p["name"]), value: Number(p["value"] ?? NaN), text: string(p["text"]),
        })),
        served: json["served"] === true,
        error: string(json["error"]),
    };
}

// The cases of a sweep: their numbers as the page has them, and which are looked at.
import { bytes, doubles, list, object, readRun, string, type Json, type Numbers, type Run } from "./data";
import { formula, number } from "./format";

// log: drawn by its logarithm
export interface Column { name: string; shown: string; kind: string; log: boolean; values: Numbers }

// Curves over the time of some cases, one behind the other.
export interface Samples { cases: number[]; lengths: Numbers; times: Numbers; curves: { name: string; shown: string; values: Numbers }[] }

export interface Sweep {
    kind: string;
    vary: string[];
    count: number;
    summary: string;
    complete: boolean; // all columns are there
    status: Uint8Array;
    messages: Map<number, string>;
    columns: Column[];
    samples: Samples | null;
    run: Run; // the model, not yet run
}

const WORDS = new Map([[0, "fine"], [1, "an expectation fails"], [2, "the model is wrong"], [3, "no solution"], [5, "out of memory"], [6, "out of time"]]);

function readColumn(json: Json): Column {
    const name = string(json["name"]);
    return { name, shown: string(json["shown"]) || formula(name), kind: string(json["kind"]), log: json["log"] === true, values: doubles(json["values"]) };
}

function readSamples(value: unknown): Samples | null {
    if (typeof value !== "object" || value === null) return null;
    const json = value as Json;
    return {
        cases: (Array.isArray(json["cases"]) ? json["cases"] : []).map(Number), lengths: doubles(json["lengths"]), times: doubles(json["times"]),
        curves: list(json["curves"]).map((c) => ({ name: string(c["name"]), shown: string(c["shown"]), values: doubles(c["values"]) })),
    };
}

export function readSweep(data: unknown): Sweep | null {
    const json = object(data)["sweep"];
    if (typeof json !== "object" || json === null) return null;
    const sweep = json as Json;
    const failures = (Array.isArray(sweep["failures"]) ? sweep["failures"] : []) as [number, string][];
    return {
        kind: string(sweep["kind"]), vary: (Array.isArray(sweep["vary"]) ? sweep["vary"] : []).map(string), count: Number(sweep["cases"] ?? 0),
        summary: string(sweep["summary"]), complete: sweep["all_columns"] !== false, status: new Uint8Array(bytes(sweep["status"])),
        messages: new Map(failures.map(([which, message]) => [which, string(message)])),
        columns: list(sweep["columns"]).map(readColumn), samples: readSamples(sweep["samples"]), run: readRun(object(data)["run"]),
    };
}

export const hasNumbers = (sweep: Sweep, which: number): boolean => sweep.status[which] <= 1;
export const statusWord = (status: number): string => WORDS.get(status) ?? "not done";

// Parameters that have more than one value.
export function varied(sweep: Sweep): Column[] {
    return sweep.columns.filter((c) => c.kind === "parameter" && c.values.some((v) => v !== c.values[0]));
}

// Outputs and results over the run, or else what a run has at its end.
export function told(sweep: Sweep): Column[] {
    const known = (c: Column): boolean => c.values.some((v, i) => hasNumbers(sweep, i) && Number.isFinite(v));
    const asked = sweep.columns.filter((c) => (c.kind === "output" || c.kind === "result") && known(c));
    return asked.length > 0 ? asked : sweep.columns.filter((c) => c.kind === "final" && c.name !== "t" && known(c));
}

// As --set takes them: the same numbers again.
export function valuesOf(sweep: Sweep, which: number): Map<string, string> {
    return new Map(sweep.columns.filter((c) => c.kind === "parameter").map((c) => [c.name, String(c.values[which])]));
}

export function named(sweep: Sweep, which: number): string {
    return varied(sweep).map((c) => `${c.shown} = ${number(c.values[which], 5)}`).join(", ");
}

// What one who points at a case reads.
export function described(sweep: Sweep, which: number, columns: readonly Column[]): string[] {
    const lines = [`Case ${which}`, named(sweep, which)];
    const message = sweep.messages.get(which);
    if (sweep.status[which] > 0) lines.push(message ? `${statusWord(sweep.status[which])}: ${message}` : statusWord(sweep.status[which]));
    if (hasNumbers(sweep, which)) for (const c of columns) if (c.kind !== "parameter") lines.push(`${c.shown} = ${number(c.values[which], 6)}`);
    return lines.filter((line) => line !== "");
}

// What is pointed at, what was chosen, and what lies between the ends that were drawn: of one column or several.
export class Looking {
    pointed = -1;
    chosen = -1;
    version = 0; // of the selection
    readonly ranges = new Map<Column, [number, number]>();
    private readonly listeners: (() => void)[] = [];

    constructor(private readonly sweep: Sweep) {}

    onChange(listener: () => void): void { this.listeners.push(listener); }

    // Pointed at, or else chosen.
    get at(): number { return this.pointed >= 0 ? this.pointed : this.chosen; }
    get brushed(): boolean { return this.ranges.size > 0; }

    selects(which: number): boolean {
        for (const [column, [low, high]] of this.ranges) if (!(column.values[which] >= low && column.values[which] <= high)) return false;
        return true;
    }

    selected(): number[] {
        return Array.from({ length: this.sweep.count }, (_, i) => i).filter((i) => this.selects(i));
    }

    point(which: number): void {
        if (which === this.pointed) return;
        this.pointed = which;
        this.tell();
    }

    choose(which: number): void {
        this.chosen = which;
        this.pointed = -1;
        this.tell();
    }

    // null: all of that column again
    brush(column: Column, range: [number, number] | null): void {
        if (range) this.ranges.set(column, range);
        else this.ranges.delete(column);
        this.version++;
        this.tell();
    }

    clear(): void {
        this.ranges.clear();
        this.version++;
        this.tell();
    }

    private tell(): void { for (const listener of this.listeners) listener(); }
}

// Any columns of the run in a chart of their own, over time or over another column.
import type { Chart } from "./chart";
import { PLAIN, type Column, type Run } from "./data";
import { h } from "./dom";
import { count } from "./format";
import { flat, range } from "./span";

const LISTED = 120; // names at once; typing narrows them
const KINDS: Record<string, string> = {
    draws: "Animation", coordinate: "Coordinates", velocity: "Velocities", quasi: "Quasi-velocities", output: "Outputs",
    reaction: "Reactions", residual: "Residuals", energy: "Energy", work: "Work", power: "Power",
};
const SETS = ["energy", "work", "power"]; // kinds that are shown together at a click
const TOGETHER = 8; // curves, those that vary most

export class Picker {
    readonly element: HTMLElement;
    private readonly sets = h("div", { class: "picker-sets", role: "group", "aria-label": "Columns together" });
    private readonly search = h("input", { type: "search", placeholder: "Find a column", "aria-label": "Find a column", input: () => this.list() });
    private readonly versus = h("input", { type: "text", list: "columns", placeholder: "t", "aria-label": "Over which column", change: () => this.show(), spellcheck: "false" });
    private readonly names = h("datalist", { id: "columns" });
    private readonly lists = h("div", { class: "picker-lists" });
    private columns: Column[] = [];
    private chosen: string[] = [];
    private run: Run | null = null;

    constructor(private readonly chart: Chart) {
        this.element = h("div", { class: "picker" }, this.sets, h("details", {},
            h("summary", {}, "Choose columns"),
            h("div", { class: "picker-fields" }, this.search, h("label", {}, "over ", this.versus), this.names),
            this.lists));
    }

    load(run: Run): void {
        this.run = run;
        this.columns = run.columns.filter((c) => c.name !== "t");
        const known = new Set(this.columns.map((c) => c.name));
        this.chosen = this.chosen.filter((name) => known.has(name));
        if (this.chosen.length === 0)
            this.chosen = interesting(this.columns).slice(0, 3).map((c) => c.name);
        this.names.replaceChildren(...this.columns.slice(0, 500).map((c) => h("option", { value: c.name })));
        this.sets.replaceChildren(...SETS.filter((kind) => this.columns.some((c) => c.kind === kind)).map((kind) =>
            h("button", { type: "button", class: "small", click: () => this.choose(kind) }, KINDS[kind])));
        this.list();
        this.show();
    }

    private choose(kind: string): void {
        const all = this.columns.filter((c) => c.kind === kind);
        const varies = new Map(all.map((c) => [c, size(c)]));
        const most = [...all].sort((a, b) => varies.get(b)! - varies.get(a)!).slice(0, TOGETHER);
        this.chosen = all.filter((c) => most.includes(c)).map((c) => c.name);
        this.versus.value = "";
        this.list();
        this.show();
    }

    // What all that is chosen is, if it is one kind.
    private get title(): string {
        const kinds = new Set(this.columns.filter((c) => this.chosen.includes(c.name)).map((c) => c.kind));
        const [kind] = kinds;
        return kinds.size === 1 && SETS.includes(kind) ? KINDS[kind] : "Columns";
    }

    private list(): void {
        const wanted = this.search.value.trim().toLowerCase();
        const found = this.columns.filter((c) => c.name.toLowerCase().includes(wanted) || c.kind.startsWith(wanted));
        const groups = new Map<string, Column[]>();
        for (const column of found.slice(0, LISTED)) groups.set(column.kind, [...(groups.get(column.kind) ?? []), column]);
        this.lists.replaceChildren(...[...groups].map(([kind, columns]) =>
            h("fieldset", {}, h("legend", {}, KINDS[kind] ?? kind), ...columns.map((c) => this.box(c)))));
        if (found.length > LISTED) this.lists.append(h("p", { class: "note" }, `and ${count(found.length - LISTED)} more: type to narrow`));
        const missing = (this.run?.leftOut ?? []).map((kind) => (KINDS[kind] ?? kind).toLowerCase());
        if (missing.length > 0) this.lists.append(h("p", { class: "note" }, `too many for a page: ${missing.join(", ")}; trammel run has them`));
        if (found.length === 0) this.lists.append(h("p", { class: "note" }, "no column of that name"));
    }

    private box(column: Column): HTMLElement {
        const box = h("input", {
            type: "checkbox",
            change: () => {
                this.chosen = this.chosen.filter((name) => name !== column.name);
                if (box.checked) this.chosen.push(column.name);
                this.show();
            },
        });
        box.checked = this.chosen.includes(column.name);
        return h("label", {}, box, h("code", { dir: "auto" }, column.name));
    }

    private show(): void {
        if (!this.run) return;
        const over = this.columns.find((c) => c.name === this.versus.value.trim());
        const byName = new Map(this.columns.map((c) => [c.name, c]));
        this.chart.load({
            title: this.title,
            equal: false,
            axes: [PLAIN, PLAIN],
            x: over ? { ...over, label: over.name } : { label: "t", shown: "t", accuracy: 0, values: this.run.times },
            series: this.chosen.flatMap((name) => {
                const column = byName.get(name);
                return column ? [{ ...column, label: name }] : [];
            }),
        });
    }
}

// From the lowest to the highest value.
function size(column: Column): number {
    const [low, high] = range([column.values]) ?? [0, 0];
    return high - low;
}

// Coordinates that do something, or what there is.
function interesting(columns: Column[]): Column[] {
    const coordinates = columns.filter((c) => c.kind === "coordinate");
    const moving = coordinates.slice(0, LISTED).filter((c) => !flat(c.values, c.accuracy));
    return moving.length > 0 ? moving : coordinates;
}

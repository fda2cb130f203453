// The page of a sweep: all cases above, and below the run of the one that is pointed at, by the engine of the page.
import "./sweep.css";
import { Bundles } from "./bundles";
import { described, hasNumbers, Looking, named, statusWord, told, valuesOf, varied, type Column, type Sweep } from "./cases";
import { chartCsv, fileName, save } from "./chart-save";
import { PLAIN } from "./data";
import { button, h, ICONS } from "./dom";
import { PageEngine } from "./engine";
import { Field, type FieldKind } from "./field";
import { count, number, plural } from "./format";
import type { Page } from "./page";
import { Parallel } from "./parallel";
import { onTheme, toggleTheme } from "./theme";
import { readValues } from "./values";

const PAUSE = 80; // milliseconds at a case before it is run
const LISTED = 12; // cases in the table
const AXES_MOST = 9;

export class SweepPage {
    private readonly looking: Looking;
    private readonly field: Field;
    private readonly parallel: Parallel;
    private readonly bundles: Bundles;
    private readonly engine = PageEngine.find();
    private readonly selects: HTMLSelectElement[] = [];
    private readonly log = h("button", { type: "button", class: "small", "aria-pressed": "false", title: "What is shown by its logarithm", click: () => this.toggleLog() }, "log");
    private readonly chips = h("div", { class: "chips" });
    private readonly picked = h("span", { class: "picked", role: "status" });
    private readonly list = h("table", { class: "case-list" });
    private readonly heading = h("h2", { dir: "auto" });
    private readonly said = h("div", { class: "case-said" });
    private readonly below = h("section", { class: "case", "aria-label": "The case that is looked at" });
    private readonly params: Column[];
    private readonly results: Column[];
    private page: Page | null = null;
    private sorted: [Column | null, number] = [null, 1]; // by which column; up or down
    private timer = 0;
    private shown = -1;
    private listed = ""; // which selection the table has

    constructor(root: HTMLElement, private readonly sweep: Sweep, makePage: (root: HTMLElement) => Page) {
        this.looking = new Looking(sweep);
        this.field = new Field(sweep, this.looking);
        this.parallel = new Parallel(sweep, this.looking);
        this.bundles = new Bundles(sweep, this.looking);
        this.params = varied(sweep);
        this.results = told(sweep);
        const title = sweep.run.title || sweep.run.model || "Sweep";
        document.title = `${title}: ${plural(sweep.count, "case")} – Trammel`;
        root.classList.add("sweep");
        root.append(
            h("header", {},
                h("div", { class: "head" }, h("h1", { dir: "auto" }, title), h("p", { class: "file", dir: "auto" }, sweep.run.model)),
                h("div", { class: "head-side" }, this.verdict(), button("Dark or light", ICONS.theme, toggleTheme))),
            this.facts(), this.overview(), this.bundles.element, this.below);
        this.lower(makePage);
        this.looking.onChange(() => this.changed());
        onTheme(() => this.repaint());
        void document.fonts.load("12px 'Source Sans 3'").then(() => this.repaint());
        this.redraw();
        this.begin();
    }

    private repaint(): void {
        this.field.redrawNow();
        this.parallel.redrawNow();
        this.bundles.redraw();
    }

    // --- above ------------------------------------------------------------------------------------------------------------------

    private verdict(): HTMLElement {
        const failed = this.sweep.status.filter((s) => s > 0 && s !== 255).length;
        const left = this.sweep.status.filter((s) => s === 255).length;
        const parts = [failed > 0 ? `${count(failed)} of ${plural(this.sweep.count, "case")} failed` : "All is fine", left > 0 ? `${count(left)} not done` : ""];
        return h("p", { class: failed > 0 ? "verdict bad" : "verdict good" }, parts.filter((p) => p !== "").join(", "));
    }

    private facts(): HTMLElement {
        const fact = (what: string, figure: string, more = "", bad = false): HTMLElement =>
            h("div", { class: bad ? "fact bad" : "fact" }, h("dt", {}, what), h("dd", {}, h("span", { class: "figure" }, figure), more && h("span", { class: "note", dir: "auto" }, more)));
        const by = new Map<number, number>();
        for (const s of this.sweep.status) by.set(s, (by.get(s) ?? 0) + 1);
        const failed = [...by].filter(([s]) => s !== 0).map(([s, n]) => fact(statusWord(s), count(n), "", s !== 255));
        const extremes = this.results.slice(0, 3).map((c) => {
            const values = Array.from(c.values).filter((v, i) => hasNumbers(this.sweep, i) && Number.isFinite(v));
            const [low, high] = values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
            return fact(c.shown, `${number(low, 4)} … ${number(high, 4)}`);
        });
        return h("dl", { class: "facts" }, fact("Cases", count(this.sweep.count), `${this.sweep.kind}: ${this.sweep.vary.join(", ")}`), ...failed, ...extremes);
    }

    private overview(): HTMLElement {
        const left = h("figure", { class: "overview-field" }, this.choices(), this.field.element);
        const right = h("div", { class: "overview-right" },
            this.axes().length > 2 && h("figure", {}, this.parallel.element),
            h("div", { class: "picked-line" }, this.picked, this.chips,
                h("button", { type: "button", class: "small", title: "The selected cases", click: () => this.saveSelected() }, "CSV")),
            h("div", { class: "scroll" }, this.list));
        return h("section", { class: "overview", "aria-label": "All cases" }, left, right);
    }

    private axes(): Column[] { return [...this.params, ...this.results].slice(0, AXES_MOST); }

    private get grid(): boolean { return this.sweep.kind === "grid" && this.params.length === 2; }

    // What is drawn: over one parameter a result; on a grid of two a map; else any two, and a third by its colour.
    private choices(): HTMLElement {
        const all = [...this.params, ...this.results];
        const choose = (label: string, of: Column[], first: Column | undefined): HTMLElement => {
            const select = h("select", { "aria-label": label, change: () => this.redraw() }, ...of.map((c) => h("option", { value: all.indexOf(c) }, c.shown)));
            select.value = String(all.indexOf(first ?? of[0]));
            this.selects.push(select);
            return select;
        };
        const result = this.results.length > 0 ? this.results : all;
        const over = (names: string): HTMLElement => h("div", { class: "choices" }, choose("Shown", result, result[0]), h("span", { dir: "auto" }, `over ${names}`), this.log);
        if (this.grid) return over(`${this.params[0].shown} and ${this.params[1].shown}`);
        if (this.params.length === 1) return over(this.params[0].shown);
        return h("div", { class: "choices" }, choose("Upwards", all, result[0]), "over", choose("Across", all, this.params.at(0)), "coloured by", choose("Colour", all, this.params.at(1) ?? result.at(1)), this.log);
    }

    // What can be shown so: all that is known of it lies above 0.
    private get first(): Column | undefined { return [...this.params, ...this.results].at(Number(this.selects[0].value)); }

    private toggleLog(): void {
        if (this.first) this.first.log = !this.first.log;
        this.redraw();
    }

    private redraw(): void {
        const all = [...this.params, ...this.results];
        if (all.length === 0) return;
        const chosen = this.selects.map((s) => all[Number(s.value)]);
        this.log.hidden = !chosen[0].log && chosen[0].values.some((v, i) => hasNumbers(this.sweep, i) && !(v > 0));
        this.log.setAttribute("aria-pressed", String(chosen[0].log));
        const kind: FieldKind = this.grid ? "map" : this.params.length === 1 ? "curve" : "dots";
        if (kind === "map") this.field.show(kind, this.params[0], this.params[1], chosen[0]);
        else if (kind === "curve") this.field.show(kind, this.params[0], chosen[0], null);
        else this.field.show(kind, chosen[1], chosen[0], chosen[2]);
        this.parallel.show(this.axes(), kind === "dots" ? chosen[2] : chosen[0]);
        this.bundles.tint(kind === "dots" ? chosen[2] : this.params[0]);
        this.fillList();
    }

    // --- the table ----------------------------------------------------------------------------------------------------------------

    private fillList(): void {
        const columns = [...this.params, ...this.results.slice(0, 3)];
        const picked = this.looking.selected();
        const [by, sign] = this.sorted;
        const order = by ? picked.sort((a, b) => sign * (by.values[a] - by.values[b]) || Number(Number.isNaN(by.values[a])) - Number(Number.isNaN(by.values[b]))) : picked;
        const head = (c: Column | null, text: string): HTMLElement => h("th", { scope: "col", "aria-sort": this.sorted[0] === c ? (sign > 0 ? "ascending" : "descending") : null },
            h("button", { type: "button", class: "sorter", click: () => this.sortBy(c) }, text, this.sorted[0] === c && c ? (sign > 0 ? " ↑" : " ↓") : ""));
        const cell = (which: number, c: Column): HTMLElement => h("td", {}, c.kind === "parameter" || hasNumbers(this.sweep, which) ? number(c.values[which], 5) : "–");
        const rows = order.slice(0, LISTED).map((which) => h("tr", {
            class: [this.sweep.status[which] > 0 ? "fails" : "", which === this.looking.chosen ? "chosen" : ""].join(" "),
            title: this.sweep.messages.get(which), click: () => this.looking.choose(which),
            pointerenter: () => this.looking.point(which), pointerleave: () => this.looking.point(-1),
        }, h("td", {}, h("button", { type: "button", class: "sorter", "aria-label": `Case ${which}` }, which)), ...columns.map((c) => cell(which, c)), h("td", { class: "left" }, statusWord(this.sweep.status[which]))));
        this.list.replaceChildren(
            h("thead", {}, h("tr", {}, head(null, "case"), ...columns.map((c) => head(c, c.shown)), h("th", {}))),
            h("tbody", {}, ...rows));
        this.picked.textContent = this.looking.brushed ? `${count(picked.length)} of ${plural(this.sweep.count, "case")} selected` : picked.length > LISTED ? `${LISTED} of ${plural(this.sweep.count, "case")} listed` : plural(this.sweep.count, "case");
        this.chips.replaceChildren(...[...this.looking.ranges].map(([c, [low, high]]) =>
            h("button", { type: "button", class: "small", title: "All of these again", click: () => this.looking.brush(c, null) }, `${c.shown}: ${number(low, 3)} … ${number(high, 3)} ×`)));
    }

    private sortBy(column: Column | null): void {
        this.sorted = [column, this.sorted[0] === column ? -this.sorted[1] : 1];
        this.fillList();
    }

    private saveSelected(): void {
        const picked = this.looking.selected();
        const of = (label: string, values: number[]) => ({ label, shown: label, accuracy: 0, values: Float64Array.from(values) });
        const columns = this.sweep.columns.map((c) => of(c.name, picked.map((i) => c.values[i])));
        const text = chartCsv({ title: "", equal: false, axes: [PLAIN, PLAIN], x: of("case", picked), series: [...columns, of("status", picked.map((i) => this.sweep.status[i]))] });
        save(new Blob([text], { type: "text/csv" }), `${fileName(this.sweep.run.title || this.sweep.run.model)}-selected.csv`);
    }

    // --- the case below -------------------------------------------------------------------------------------------------------------

    private lower(makePage: (root: HTMLElement) => Page): void {
        const step = (by: number): void => this.looking.choose(Math.min(this.sweep.count - 1, Math.max(0, this.looking.chosen + by)));
        this.below.append(h("div", { class: "case-head" }, this.heading,
            button("Case before", ICONS.start, () => step(-1)), button("Next case", ICONS.end, () => step(1))), this.said);
        if (!this.engine || this.sweep.run.parameters.length === 0) return;
        const place = h("div", { class: "case-page" });
        this.below.append(place);
        this.page = makePage(place);
        this.page.carry(this.engine, this.sweep.run, () => { this.said.textContent = "With other values than those of the case."; });
    }

    // The case of the address, or the first one that is fine.
    private begin(): void {
        const given = readValues(location.hash);
        const fits = (i: number): boolean => [...valuesOf(this.sweep, i)].every(([name, value]) => Number(given.get(name)) === Number(value));
        const all = Array.from({ length: this.sweep.count }, (_, i) => i);
        const first = (given.size > 0 ? all.find(fits) : undefined) ?? all.find((i) => this.sweep.status[i] === 0) ?? 0;
        this.looking.choose(first);
        // The engine of the bundles is one of its own, so that who points at a case need not wait.
        const own = this.page && !this.bundles.kept ? PageEngine.find() : null;
        if (own) void this.bundles.run(own);
    }

    private changed(): void {
        const { looking } = this;
        const listed = `${looking.version} ${looking.chosen}`;
        if (listed !== this.listed) this.fillList();
        this.listed = listed;
        if (looking.at === this.shown || looking.at < 0) return;
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.showCase(looking.at), looking.pointed >= 0 ? PAUSE : 0);
    }

    private showCase(which: number): void {
        this.shown = which;
        this.heading.textContent = `Case ${which}: ${named(this.sweep, which)}`;
        const status = this.sweep.status[which];
        const lines = this.page ? [] : described(this.sweep, which, this.results).slice(2);
        const message = this.sweep.messages.get(which) ?? "";
        this.said.replaceChildren(
            ...(status > 0 ? [h("pre", { class: status === 255 ? "notice" : "notice bad", dir: "auto" }, message === "" ? statusWord(status) : `${statusWord(status)}: ${message}`)] : []),
            ...lines.filter((line) => !line.includes(message) || message === "").map((line) => h("div", { dir: "auto" }, line)));
        void this.page?.show(valuesOf(this.sweep, which));
    }
}

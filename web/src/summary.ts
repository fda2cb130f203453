// What the run says about itself: the verdict, the figures, and the tables behind them.
import { isAwaited, type Expectation, type Run, type Summary } from "./data";
import { figure, h } from "./dom";
import { count, number, plural, seconds } from "./format";

const ROWS = 12; // of a table, before it is folded

export interface Verdict { good: boolean; text: string }

export function verdict(run: Run): Verdict {
    const { summary, error } = run;
    if (isAwaited(run)) return { good: true, text: "" };
    if (error || summary.error) return { good: false, text: summary.error?.message ?? "The run failed" };
    const claims = summary.expectations ?? [];
    const failed = claims.filter((e) => !e.holds).length;
    if (failed > 0 && claims.length === 1) return { good: false, text: "The expectation fails" };
    if (failed > 0) return { good: false, text: `${failed} of ${plural(claims.length, "expectation")} ${failed === 1 ? "fails" : "fail"}` };
    const broken = residuals(summary).filter((r) => !r.held).length;
    if (broken > 0) return { good: false, text: `${plural(broken, "constraint")} not held` };
    if (claims.length > 0) return { good: true, text: ["", "The expectation holds", "Both expectations hold"][claims.length] ?? `All ${claims.length} expectations hold` };
    return { good: true, text: summary.constraints ? "Constraints held" : "Run complete" };
}

interface Held { name: string; worst: number; allowed: number; at: number | null; velocity: number | null; held: boolean; ratio: number }

// Worst first, measured by what is allowed; after them those of which nothing is promised.
function residuals(summary: Summary): Held[] {
    return Object.entries(summary.residual ?? {}).map(([name, r]) => {
        const worst = Math.abs(r.worst ?? NaN);
        const allowed = r.allowed ?? NaN;
        const ratio = allowed > 0 ? worst / allowed : worst;
        return { name, worst, allowed, at: r.at ?? null, velocity: r.velocity ?? null, held: !(allowed > 0) || worst <= allowed, ratio };
    }).sort((a, b) => Number(b.allowed > 0) - Number(a.allowed > 0) || (b.ratio || 0) - (a.ratio || 0));
}

function fact(name: string, value: Node | string, note: Node | string = "", bad = false): HTMLElement {
    return h("div", { class: bad ? "fact bad" : "fact" },
        h("dt", {}, name), h("dd", {}, h("span", { class: "figure" }, typeof value === "string" ? figure(value) : value), note && h("span", { class: "note" }, note)));
}

// The strip below the title.
export function facts(run: Run): HTMLElement {
    const { summary } = run;
    const list = h("dl", { class: "facts" });
    if (summary.degrees_of_freedom !== undefined)
        list.append(fact("Degrees of freedom", count(summary.degrees_of_freedom),
            `${plural(summary.coordinates ?? 0, "coordinate")}${summary.constraints ? `, rank ${count(summary.rank)}` : ""}`));
    const worst = residuals(summary)[0] as Held | undefined;
    if (worst)
        list.append(fact("Worst residual", number(worst.worst, 3),
            h("span", {}, h("code", { dir: "auto" }, worst.name), worst.allowed > 0 ? figure(`, allowed ${number(worst.allowed, 2)}`) : ", nothing promised"), !worst.held));
    const drift = summary.energy?.worst_relative_drift;
    if (typeof drift === "number") list.append(fact("Energy drift", number(drift, 3), "relative, worst"));
    else if (typeof summary.balance?.worst_relative === "number")
        list.append(fact("Energy balance", number(summary.balance.worst_relative, 3), "relative, with the work done"));
    else if (summary.energy) list.append(fact("Energy", "not conserved", "by this model"));
    const redundant = summary.redundant ?? [];
    if (summary.constraints) list.append(fact("Redundant", redundant.length === 0 ? "none" : count(redundant.length),
        `of ${plural(summary.constraints, "constraint")}`));
    const time = Object.values(summary.seconds ?? {}).reduce((a, b) => a + b, 0);
    if (summary.steps !== undefined)
        list.append(fact("Steps", count(summary.steps), `${summary.integrator ?? ""}${time > 0 ? `, ${seconds(time)}` : ""}`));
    return list;
}

export function expectations(run: Run): HTMLElement | null {
    const claims = run.summary.expectations ?? [];
    if (claims.length === 0) return null;
    const row = (e: Expectation): HTMLElement =>
        h("li", { class: e.holds ? "holds" : "fails" },
            h("span", { class: "mark", "aria-hidden": "true" }, e.holds ? "✓" : "✗"),
            h("span", { class: "sr" }, e.holds ? "holds: " : "fails: "),
            h("code", { dir: "auto" }, e.text),
            typeof e.worst === "number" && h("span", { class: "note" },
                figure(`margin ${number(e.worst, 3)}${e.holds || typeof e.at !== "number" ? "" : ` at t = ${number(e.at, 6)}`}`)));
    const sorted = [...claims.filter((e) => !e.holds), ...claims.filter((e) => e.holds)];
    return folded("Expectations", h("ul", { class: "claims" }, ...sorted.slice(0, ROWS).map(row)),
        sorted.length > ROWS ? () => h("ul", { class: "claims" }, ...sorted.slice(ROWS).map(row)) : null, sorted.length - ROWS);
}

export function constraints(run: Run): HTMLElement | null {
    const rows = residuals(run.summary);
    if (rows.length === 0) return null;
    const redundant = new Set(run.summary.redundant ?? []);
    const row = (r: Held): HTMLElement => h("tr", { class: r.held ? "" : "fails" },
        h("th", { scope: "row" }, h("code", { dir: "auto" }, r.name), redundant.has(r.name) && h("span", { class: "tag" }, "redundant")),
        ...[number(r.worst, 3), number(r.allowed, 3), number(r.velocity, 3), number(r.at, 4)].map((v) => h("td", {}, figure(v))));
    const table = (part: Held[]): HTMLElement => h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Residuals" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Constraint"), h("th", { scope: "col" }, "worst"), h("th", { scope: "col" }, "allowed"),
            h("th", { scope: "col" }, "velocity"), h("th", { scope: "col" }, "at t"))),
        h("tbody", {}, ...part.map(row))));
    return folded("Residuals", table(rows.slice(0, ROWS)), rows.length > ROWS ? () => table(rows.slice(ROWS, 2000)) : null, rows.length - ROWS);
}

export function finals(run: Run): HTMLElement | null {
    const entries = Object.entries(run.summary.final ?? {});
    if (entries.length === 0) return null;
    const list = (part: [string, number | null][]): HTMLElement => h("dl", { class: "values" },
        ...part.map(([name, value]) => h("div", {}, h("dt", {}, h("code", { dir: "auto" }, name)), h("dd", { title: String(value) }, figure(number(value, 9))))));
    return folded("Final values", list(entries.slice(0, 2 * ROWS)),
        entries.length > 2 * ROWS ? () => list(entries.slice(2 * ROWS, 4000)) : null, entries.length - 2 * ROWS);
}

export function parameters(run: Run): HTMLElement | null {
    if (run.parameters.length === 0) return null;
    return h("section", { class: "block" }, h("h3", {}, "Parameters"), h("dl", { class: "values" },
        ...run.parameters.slice(0, 200).map((p) => h("div", {}, h("dt", {}, h("code", { dir: "auto" }, p.name)),
            h("dd", {}, figure(number(p.value, 9)), /[^\d.eE+-]/.test(p.text) && h("span", { class: "note", dir: "auto" }, ` = ${p.text}`))))));
}

// A section whose rest is made when it is opened: a chain has thousands of rows.
function folded(title: string, first: HTMLElement, rest: (() => HTMLElement) | null, left: number): HTMLElement {
    const section = h("section", { class: "block" }, h("h3", {}, title), first);
    if (rest) {
        const more = h("details", { class: "more" }, h("summary", {}, `${count(left)} more`));
        more.addEventListener("toggle", () => more.append(rest()), { once: true });
        section.append(more);
    }
    return section;
}

// What acts on one body, and that it sums to zero: weight, what else is applied, the force of each joint, what other
// constraints do, and inertia, - m a. Forces are drawn head to tail: the last ends where the first begins.
import { basis, type View } from "./camera";
import { fileName, save } from "./chart-save";
import type { Place } from "./clock";
import type { Numbers, Run } from "./data";
import { h } from "./dom";
import { number } from "./format";
import { Track } from "./track";

export interface Acting { name: string; force: [number, number, number]; kind: "weight" | "applied" | "joint" | "constraint" | "inertia" }

const SMALL = 1e-9; // of the largest: what is less is not listed
const TONES: Record<Acting["kind"], number> = { weight: 2, applied: 1, joint: 3, constraint: 4, inertia: 0 };

function read(values: Numbers, times: Numbers, place: Place): [number, number, number] {
    if (values.length < 3) return [0, 0, 0];
    const out: [number, number, number] = [0, 0, 0];
    new Track(values, 3, times).read(place, out);
    return out;
}

// All that acts on a body at a sample. Of its constraints, joints tell their forces one by one; the rest is of others.
export function acting(run: Run, name: string, place: Place): Acting[] {
    const body = run.bodies.find((b) => b.name === name);
    if (!body) return [];
    const at = (values: Numbers): [number, number, number] => read(values, run.times, place);
    const weight = at(body.weight);
    const active = at(body.active);
    const list: Acting[] = [
        { name: "weight", force: weight, kind: "weight" },
        { name: "springs and applied", force: [active[0] - weight[0], active[1] - weight[1], active[2] - weight[2]], kind: "applied" },
    ];
    const rest = at(body.constraint);
    for (const f of run.forces) {
        if (!f.on?.includes(name)) continue;
        const sign = f.on[1] === name ? 1 : -1;
        const force = at(f.force);
        for (let k = 0; k < 3; k++) rest[k] -= sign * force[k];
        list.push({ name: f.constraint, force: [sign * force[0], sign * force[1], sign * force[2]], kind: "joint" });
    }
    if (!body.jointsOnly) list.push({ name: "other constraints", force: rest, kind: "constraint" });
    list.push({ name: "inertia −m a", force: at(body.inertia), kind: "inertia" });
    const most = Math.max(...list.map((a) => Math.hypot(...a.force)));
    return list.filter((a) => Math.hypot(...a.force) > SMALL * most);
}

export function sum(list: Acting[]): [number, number, number] {
    const total: [number, number, number] = [0, 0, 0];
    for (const a of list) for (let k = 0; k < 3; k++) total[k] += a.force[k];
    return total;
}

const SIDE = 260;
const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// The polygon of forces, as seen from where the animation is seen; with the numbers below if it is for a file.
export function polygonSvg(list: Acting[], view: View, series: string[], title: string | null): string {
    const { right, up } = basis(view);
    const points: [number, number][] = [[0, 0]];
    for (const { force: f } of list) {
        const [x, y] = points[points.length - 1];
        points.push([x + right[0] * f[0] + right[1] * f[1] + right[2] * f[2], y + up[0] * f[0] + up[1] * f[1] + up[2] * f[2]]);
    }
    const [xs, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
    const size = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)) || 1;
    const scale = (SIDE - 50) / size;
    const px = (x: number): number => SIDE / 2 + scale * (x - (Math.max(...xs) + Math.min(...xs)) / 2);
    const py = (y: number): number => SIDE / 2 - scale * (y - (Math.max(...ys) + Math.min(...ys)) / 2);
    const arrows = list.map((a, i) => {
        const [[x0, y0], [x1, y1]] = [points[i], points[i + 1]].map(([x, y]) => [px(x), py(y)]);
        const length = Math.hypot(x1 - x0, y1 - y0);
        if (length < 0.5) return "";
        const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
        const head = Math.min(9, length);
        const [bx, by] = [x1 - head * ux, y1 - head * uy];
        const tone = series[TONES[a.kind] % series.length];
        const tip = [[x1, y1], [bx - 0.4 * head * uy, by + 0.4 * head * ux], [bx + 0.4 * head * uy, by - 0.4 * head * ux]].map((p) => p.map((v) => v.toFixed(1)).join()).join(" ");
        return `<g stroke="${tone}" fill="${tone}"><path d="M${x0.toFixed(1)} ${y0.toFixed(1)}L${bx.toFixed(1)} ${by.toFixed(1)}" stroke-width="2.2" fill="none"/><polygon points="${tip}" stroke="none"/></g>`
            + `<text x="${((x0 + x1) / 2 + 7 * uy).toFixed(1)}" y="${((y0 + y1) / 2 - 7 * ux + 4).toFixed(1)}" fill="${tone}" text-anchor="${uy > 0.3 ? "start" : uy < -0.3 ? "end" : "middle"}">${escaped(a.name)}</text>`;
    }).join("");
    const rows = title === null ? "" : [...list.map((a) => [a.name, a.force] as const), ["sum", sum(list)] as const].map(([name, f], i) =>
        `<text x="12" y="${SIDE + 20 + 18 * i}" fill="currentColor">${escaped(name)}: ${f.map((v) => number(v, 5)).join(", ")}; ${number(Math.hypot(...f), 5)}</text>`).join("");
    const height = title === null ? SIDE : SIDE + 40 + 18 * (list.length + 1);
    const heading = title === null ? "" : `<text x="${SIDE / 2}" y="16" text-anchor="middle" font-size="14" fill="currentColor">${escaped(title)}</text>`;
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${height}" width="${SIDE}" height="${height}" font-family="'Source Sans 3', Helvetica, sans-serif" font-size="12">${heading}${arrows}${rows}</svg>`;
}

export class FreeBody {
    readonly element = h("aside", { class: "free-body", "aria-label": "Free-body diagram" });
    private readonly heading = h("h3");
    private readonly picture = h("img", { alt: "Forces head to tail: a closed polygon", width: SIDE, height: SIDE });
    private readonly table = h("tbody");
    private name = "";
    private svg: (() => string) | null = null;

    constructor() {
        this.element.hidden = true;
        this.element.append(
            h("div", { class: "chart-head" }, this.heading, h("div", { class: "chart-tools" },
                h("button", { type: "button", class: "small", click: () => { if (this.svg) save(new Blob([this.svg()], { type: "image/svg+xml" }), `${fileName(this.name)}-forces.svg`); } }, "Save SVG"),
                h("button", { type: "button", class: "small", click: () => this.show("") }, "Close"))),
            this.picture,
            h("table", {}, h("thead", {}, h("tr", {}, ...["", "x", "y", "z", "size"].map((t) => h("th", { scope: "col" }, t)))), this.table));
    }

    show(name: string): void {
        this.name = name;
        this.element.hidden = name === "";
    }

    get shown(): string { return this.name; }

    draw(run: Run, place: Place, view: View, series: string[]): void {
        if (this.name === "") return;
        const list = acting(run, this.name, place);
        this.heading.textContent = `Free body: ${this.name}`;
        this.picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(polygonSvg(list, view, series, null))}`;
        this.svg = () => polygonSvg(list, view, series, `${this.name}, t = ${number(run.times[place.i], 5)}`);
        const total = sum(list);
        const most = Math.max(1e-300, ...list.map((a) => Math.hypot(...a.force)));
        const row = (name: string, f: number[], last = false): HTMLElement => h("tr", last ? { class: "sum" } : {}, h("th", { scope: "row" }, name),
            ...[...f, Math.hypot(...f)].map((v) => h("td", {}, number(Math.abs(v) < 1e-6 * most ? 0 : v, 4))));
        this.table.replaceChildren(...list.map((a) => row(a.name, a.force)), row("sum", total, true));
    }
}

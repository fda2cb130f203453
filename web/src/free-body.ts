// What acts on one body, and that it sums to zero: weight, springs, what is applied, friction, the force of each joint, what other
// constraints do, and inertia, - m a; with the torques about its centre. Forces are drawn head to tail: the last ends where the first begins.
import { basis, type View } from "./camera";
import { fileName, save } from "./chart-save";
import type { Place } from "./clock";
import type { Body, Force, Numbers, Run } from "./data";
import { h } from "./dom";
import { number } from "./format";
import { Track } from "./track";

type Vector = [number, number, number];
type Kind = "weight" | "spring" | "applied" | "friction" | "joint" | "constraint" | "inertia";
export interface Acting { name: string; kind: Kind; force: Vector; torque: Vector } // the torque about the body's centre

const SMALL = 1e-9; // of the largest: what is less is not listed
const REST = 1e-5; // the same of what is left of a sum, whose terms have the digits of floats
const FLOAT = 1e-6; // of where a body is: what is less of a lever is rounding
const TONES: Record<Kind, number> = { inertia: 0, applied: 1, weight: 2, joint: 3, constraint: 4, spring: 5, friction: 6 };

// A torque in the plane is a single number.
function read(values: Numbers, times: Numbers, place: Place): Vector {
    const width = values.length === 1 || (values.length === times.length && values.length !== 3) ? 1 : 3;
    if (values.length < width) return [0, 0, 0];
    const out = [0, 0, 0];
    new Track(values, width, times).read(place, out);
    return width === 3 ? [out[0], out[1], out[2]] : [0, 0, out[0]];
}

const add = (a: Vector, b: Vector, factor = 1): Vector => [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]];
const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (v: Vector): number => Math.hypot(...v);

// What a force does to a body that it acts on: a force on the centre and a torque about it.
function onBody(f: Force, body: Body, run: Run, place: Place): Pick<Acting, "force" | "torque"> {
    const sign = f.on![1] === body.name ? 1 : -1;
    const at = (values: Numbers): Vector => read(values, run.times, place);
    const force = add([0, 0, 0], at(f.force), sign);
    const arm = add(at(f.at), at(body.at), -1);
    return { force, torque: body.activeTorque.length === 0 ? [0, 0, 0] : add(cross(arm, force), at(f.torque), sign) };
}

// All that acts on a body at a sample. What is given is weight, springs, applied forces, and else motors and energies; of constraints,
// joints and their friction tell their forces one by one, and the rest is of others.
export function acting(run: Run, name: string, place: Place): Acting[] {
    const body = run.bodies.find((b) => b.name === name);
    if (!body) return [];
    const at = (values: Numbers): Vector => read(values, run.times, place);
    const given: Acting = { name: "other given", kind: "applied", force: add(at(body.active), at(body.weight), -1), torque: at(body.activeTorque) };
    const others: Acting = { name: "other constraints", kind: "constraint", force: at(body.constraint), torque: at(body.constraintTorque) };
    const list: Acting[] = [{ name: "weight", kind: "weight", force: at(body.weight), torque: [0, 0, 0] }];
    const take = (f: Force, kind: Kind, from: Acting): void => {
        const { force, torque } = onBody(f, body, run, place);
        const same = list.find((a) => a.name === f.constraint && a.kind === kind); // several applied forces are one
        if (same) Object.assign(same, { force: add(same.force, force), torque: add(same.torque, torque) });
        else list.push({ name: f.constraint, kind, force, torque });
        from.force = add(from.force, force, -1);
        from.torque = add(from.torque, torque, -1);
    };
    for (const f of run.loads) if (f.on?.includes(name)) take(f, f.kind as Kind, f.kind === "friction" ? others : given);
    for (const f of run.forces) if (f.on?.includes(name)) take(f, "joint", others);
    const inertia: Acting = { name: "inertia", kind: "inertia", force: at(body.inertia), torque: at(body.inertiaTorque) };
    const [force, torque] = [largest([...list, inertia], "force"), largest([...list, given, others, inertia], "torque")];
    const lever = FLOAT * norm(at(body.at)) * force;
    for (const rest of body.jointsOnly ? [given] : [given, others])
        if (norm(rest.force) > REST * force || norm(rest.torque) > REST * torque + lever) list.push(rest);
    for (const a of [...list, inertia]) if (norm(a.torque) <= lever) a.torque = [0, 0, 0];
    return [...list, inertia].filter((a) => norm(a.force) > SMALL * force || norm(a.torque) > SMALL * torque);
}

const largest = (list: Acting[], of: "force" | "torque"): number => Math.max(1e-300, ...list.map((a) => norm(a[of])));

export function sum(list: Acting[], of: "force" | "torque" = "force"): Vector {
    return list.reduce<Vector>((total, a) => add(total, a[of]), [0, 0, 0]);
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
    const lines = title === null ? [] : (["force", "torque"] as const).flatMap((of) => rowsOf(list, of).map(([name, v], i) => `${i === 0 && of === "torque" ? "torques about the centre; " : ""}${name}: ${v.map((x) => number(x, 5)).join(", ")}; ${number(norm(v), 5)}`));
    const rows = lines.map((line, i) => `<text x="12" y="${SIDE + 20 + 18 * i}" fill="currentColor">${escaped(line)}</text>`).join("");
    const height = title === null ? SIDE : SIDE + 40 + 18 * lines.length;
    const heading = title === null ? "" : `<text x="${SIDE / 2}" y="16" text-anchor="middle" font-size="14" fill="currentColor">${escaped(title)}</text>`;
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${height}" width="${SIDE}" height="${height}" font-family="'Source Sans 3', Helvetica, sans-serif" font-size="12">${heading}${arrows}${rows}</svg>`;
}

// What has a force or a torque, with its sum last; what is but rounding is 0.
function rowsOf(list: Acting[], of: "force" | "torque"): [string, Vector][] {
    const most = largest(list, of);
    const some = list.filter((a) => norm(a[of]) > 1e-6 * most);
    if (some.length === 0) return [];
    const total = sum(list, of);
    return [...some.map((a): [string, Vector] => [a.name, a[of]]), ["sum", total.map((v) => (Math.abs(v) < 1e-5 * most ? 0 : v)) as Vector]];
}

export class FreeBody {
    readonly element = h("aside", { class: "free-body", "aria-label": "Free-body diagram" });
    private readonly heading = h("h3");
    private readonly picture = h("img", { alt: "Forces head to tail: a closed polygon", width: SIDE, height: SIDE });
    private readonly table = h("tbody"); // forces, then torques
    private name = "";
    private svg: (() => string) | null = null;

    constructor() {
        this.element.hidden = true;
        this.element.append(
            h("div", { class: "chart-head" }, this.heading, h("div", { class: "chart-tools" },
                h("button", { type: "button", class: "small", click: () => { if (this.svg) save(new Blob([this.svg()], { type: "image/svg+xml" }), `${fileName(this.name)}-forces.svg`); } }, "Save SVG"),
                h("button", { type: "button", class: "small", click: () => this.show("") }, "Close"))),
            this.picture,
            h("table", {}, this.table));
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
        this.picture.hidden = list.every((a) => norm(a.force) === 0);
        this.svg = () => polygonSvg(list, view, series, `${this.name}, t = ${number(run.times[place.i], 5)}`);
        const plane = run.dimension === 2;
        const part = (head: string, of: "force" | "torque", axes: number[]): HTMLElement[] => {
            const rows = rowsOf(list, of);
            const cells = (v: Vector): number[] => (axes.length > 1 ? [...axes.map((k) => v[k]), norm(v)] : axes.map((k) => v[k]));
            const names = [...axes.map((k) => "xyz"[k]), ...(axes.length > 1 ? ["size"] : [])];
            return rows.length === 0 ? [] : [
                h("tr", { class: "part" }, h("th", { scope: "row" }, head), ...names.map((n) => h("th", { scope: "col" }, n))),
                ...rows.map(([name, v], i) => h("tr", i === rows.length - 1 ? { class: "sum" } : {}, h("th", { scope: "row" }, name),
                    ...cells(v).map((x) => h("td", {}, number(Math.abs(x) < 1e-6 * largest(list, of) ? 0 : x, 4))))),
            ];
        };
        this.table.replaceChildren(...part("forces", "force", plane ? [0, 1] : [0, 1, 2]), ...part("torques about the centre", "torque", plane ? [2] : [0, 1, 2]));
    }
}

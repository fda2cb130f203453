// The picture of all cases: a map over two parameters of a grid, a curve over one, or dots. Pointing at a case, a rectangle
// that selects, and arrow keys that go from case to case.
import { along, backFrom, cross, drawAxes, drawShades, Picture, scaleOf, shade, type Box, type Scale } from "./canvas";
import { described, hasNumbers, type Column, type Looking, type Sweep } from "./cases";
import { h } from "./dom";
import { colours } from "./theme";

export type FieldKind = "map" | "curve" | "dots";

const NEAR = 24; // pixels from a case to who points at it
const MARGIN = { left: 64, top: 30, right: 18, bottom: 44, bar: 84 };

interface Steps { values: number[]; edges: number[]; place: Map<number, number> } // of a grid

function stepsOf(column: Column): Steps {
    const values = [...new Set(column.values)].sort((a, b) => a - b);
    const [to, from] = column.log ? [Math.log, Math.exp] : [Number, Number];
    const middle = (i: number): number => from((to(values[i]) + to(values[i + 1])) / 2);
    const inner = values.slice(1).map((_, i) => middle(i));
    const beyond = (end: number, inside: number): number => from(2 * to(end) - to(inside));
    const edges = values.length < 2 ? [values[0] - 0.5, values[0] + 0.5] : [beyond(values[0], inner[0]), ...inner, beyond(values[values.length - 1], inner[inner.length - 1])];
    return { values, edges, place: new Map(values.map((v, i) => [v, i])) };
}

export class Field extends Picture {
    private kind: FieldKind = "dots";
    private x!: Column;
    private y!: Column; // of a map a parameter, else what is shown
    private shown: Column | null = null; // by its colour
    private xs!: Scale;
    private ys!: Scale;
    private cs!: Scale;
    private steps: [Steps, Steps] | null = null;
    private cells = new Int32Array(0); // of a map: the case of each
    private order: number[] = []; // of a curve
    private revision = 0; // of what is drawn
    private drag: { from: [number, number]; to: [number, number] } | null = null;
    private readonly tip = h("div", { class: "picture-tip", hidden: true });

    constructor(private readonly sweep: Sweep, private readonly looking: Looking) {
        super("field", "All cases: point at one, drag to select, arrow keys go from case to case");
        this.element.append(this.tip);
        looking.onChange(() => this.redraw());
        this.listen();
    }

    show(kind: FieldKind, x: Column, y: Column, shown: Column | null): void {
        const known = (c: Column): number[] => Array.from(c.values).filter((v, i) => c.kind === "parameter" || (hasNumbers(this.sweep, i) && Number.isFinite(v)));
        [this.kind, this.x, this.y, this.shown] = [kind, x, y, shown];
        this.cs = scaleOf(shown ? known(shown) : [], shown?.log ?? false);
        this.steps = kind === "map" ? [stepsOf(x), stepsOf(y)] : null;
        if (this.steps) {
            const [across, up] = this.steps;
            this.xs = { low: across.edges[0], high: across.edges[across.edges.length - 1], log: x.log };
            this.ys = { low: up.edges[0], high: up.edges[up.edges.length - 1], log: y.log };
            this.cells = new Int32Array(across.values.length * up.values.length).fill(-1);
            for (let i = 0; i < this.sweep.count; i++) this.cells[this.cellOf(i)] = i;
        } else {
            this.xs = scaleOf(known(x), x.log, 0.04);
            this.ys = scaleOf(known(y), y.log, 0.06);
        }
        this.revision++;
        this.order = Array.from({ length: this.sweep.count }, (_, i) => i).sort((a, b) => x.values[a] - x.values[b] || a - b);
        this.redraw();
    }

    private cellOf(which: number): number {
        const [across, up] = this.steps!;
        return across.place.get(this.x.values[which])! + across.values.length * up.place.get(this.y.values[which])!;
    }

    private get box(): Box {
        const right = this.shown ? MARGIN.bar : MARGIN.right;
        return { left: MARGIN.left, top: MARGIN.top, width: Math.max(40, this.width - MARGIN.left - right), height: Math.max(40, this.height - MARGIN.top - MARGIN.bottom) };
    }

    // A case that failed has no height: it stands at the lower edge.
    private spot(which: number): [number, number] {
        const { box } = this;
        const y = this.y.values[which];
        const there = this.y.kind === "parameter" || (hasNumbers(this.sweep, which) && Number.isFinite(y));
        return [box.left + box.width * along(this.xs, this.x.values[which]), there ? box.top + box.height * (1 - along(this.ys, y)) : box.top + box.height - 6];
    }

    // --- drawing ------------------------------------------------------------------------------------------------------------

    protected paint(ctx: CanvasRenderingContext2D): void {
        this.ground(ctx, `${this.revision} ${this.looking.version}`, (below) => this.paintAll(below));
        for (const which of new Set([this.looking.chosen, this.looking.pointed])) if (which >= 0) this.mark(ctx, which);
        this.paintDrag(ctx);
        this.paintTip();
    }

    private paintAll(ctx: CanvasRenderingContext2D): void {
        const { box } = this;
        if (this.kind === "map") this.paintMap(ctx);
        drawAxes(ctx, box, this.xs, this.ys, [this.x.shown, this.y.shown], this.kind !== "map");
        if (this.kind !== "map") this.paintDots(ctx);
        if (this.shown) drawShades(ctx, { left: box.left + box.width + 16, top: box.top, width: 12, height: box.height }, this.cs, this.shown.shown);
    }

    private mark(ctx: CanvasRenderingContext2D, which: number): void {
        if (this.kind === "map") {
            this.frame(ctx, which);
            return;
        }
        this.dot(ctx, which, this.radius + 4, colours().paper);
        this.dot(ctx, which, this.radius + 2.5, colours().ink);
        if (this.shown) this.dot(ctx, which, this.radius, this.tint(which));
    }

    private cell(i: number, j: number): Box {
        const { box } = this;
        const [across, up] = this.steps!;
        const left = box.left + box.width * along(this.xs, across.edges[i]);
        const low = box.top + box.height * (1 - along(this.ys, up.edges[j]));
        const width = box.left + box.width * along(this.xs, across.edges[i + 1]) - left;
        const top = box.top + box.height * (1 - along(this.ys, up.edges[j + 1]));
        return { left, top, width, height: low - top };
    }

    private paintMap(ctx: CanvasRenderingContext2D): void {
        const columns = this.steps![0].values.length;
        const { bad } = this;
        const { faint } = colours();
        this.cells.forEach((which, at) => {
            const { left, top, width, height } = this.cell(at % columns, Math.floor(at / columns));
            const value = which >= 0 && hasNumbers(this.sweep, which) ? this.shown!.values[which] : NaN;
            ctx.globalAlpha = which < 0 || this.looking.selects(which) ? 1 : 0.18;
            if (Number.isFinite(value)) {
                ctx.fillStyle = shade(along(this.cs, value));
                ctx.fillRect(left, top, width + 0.6, height + 0.6);
            } else if (which >= 0) {
                ctx.strokeStyle = this.sweep.status[which] === 255 ? faint : bad;
                ctx.lineWidth = 1.5;
                cross(ctx, left + width / 2, top + height / 2, Math.min(6, 0.3 * width, 0.3 * height));
            }
        });
        ctx.globalAlpha = 1;
    }

    private frame(ctx: CanvasRenderingContext2D, which: number): void {
        const columns = this.steps![0].values.length;
        const at = this.cellOf(which);
        const { left, top, width, height } = this.cell(at % columns, Math.floor(at / columns));
        ctx.lineWidth = 4;
        ctx.strokeStyle = colours().paper;
        ctx.strokeRect(left, top, width, height);
        ctx.lineWidth = 2;
        ctx.strokeStyle = colours().ink;
        ctx.strokeRect(left, top, width, height);
    }

    private get radius(): number { return Math.max(1.5, Math.min(4, 60 / Math.sqrt(this.sweep.count))); }

    private dot(ctx: CanvasRenderingContext2D, which: number, size: number, colour: string): void {
        const [x, y] = this.spot(which);
        ctx.fillStyle = ctx.strokeStyle = colour;
        if (!hasNumbers(this.sweep, which) && this.y.kind !== "parameter") {
            ctx.lineWidth = 1.75;
            cross(ctx, x, y, size);
            return;
        }
        ctx.beginPath();
        ctx.arc(x, y, size, 0, 2 * Math.PI);
        ctx.fill();
    }

    private tint(which: number): string {
        if (!hasNumbers(this.sweep, which)) return this.sweep.status[which] === 255 ? colours().faint : this.bad;
        return this.shown ? shade(along(this.cs, this.shown.values[which])) : colours().series[0];
    }

    private paintDots(ctx: CanvasRenderingContext2D): void {
        const { sweep, looking, radius } = this;
        if (this.kind === "curve") this.paintCurve(ctx);
        if (looking.brushed) for (let i = 0; i < sweep.count; i++) if (!looking.selects(i)) this.dot(ctx, i, radius, colours().faint);
        for (let i = 0; i < sweep.count; i++) if (looking.selects(i)) this.dot(ctx, i, radius, this.tint(i));
    }

    // Broken where a case failed.
    private paintCurve(ctx: CanvasRenderingContext2D): void {
        ctx.strokeStyle = colours().series[0];
        ctx.globalAlpha = this.looking.brushed ? 0.35 : 0.8;
        ctx.lineWidth = 1.5;
        ctx.beginPath();
        let pen = false;
        for (const which of this.order) {
            const there = hasNumbers(this.sweep, which) && Number.isFinite(this.y.values[which]);
            const [x, y] = this.spot(which);
            if (there && pen) ctx.lineTo(x, y);
            else if (there) ctx.moveTo(x, y);
            pen = there;
        }
        ctx.stroke();
        ctx.globalAlpha = 1;
    }

    private paintDrag(ctx: CanvasRenderingContext2D): void {
        const rectangle = this.drag ? this.rectangle() : null;
        if (!rectangle) return;
        ctx.strokeStyle = colours().ink;
        ctx.lineWidth = 1;
        ctx.setLineDash([4, 3]);
        ctx.strokeRect(rectangle.left, rectangle.top, rectangle.width, rectangle.height);
        ctx.setLineDash([]);
    }

    private paintTip(): void {
        const which = this.looking.pointed;
        this.tip.hidden = which < 0;
        if (which < 0) return;
        const shown = this.kind === "map" ? [this.shown!] : this.shown ? [this.y, this.shown] : [this.y];
        this.tip.replaceChildren(...described(this.sweep, which, shown).map((text, i) => h("div", i === 0 ? { class: "title" } : { dir: "auto" }, text)));
        const [x, y] = this.spot(which);
        const left = x > this.width / 2 ? x - this.tip.offsetWidth - 14 : x + 14;
        this.tip.style.transform = `translate(${Math.max(0, Math.min(left, this.width - this.tip.offsetWidth))}px, ${Math.max(0, Math.min(y - 20, this.height - this.tip.offsetHeight))}px)`;
    }

    // --- pointers and keys ------------------------------------------------------------------------------------------------------

    private rectangle(): Box | null {
        const { from, to } = this.drag!;
        const { box } = this;
        const inside = (v: number, low: number, size: number): number => Math.min(low + size, Math.max(low, v));
        const [left, right] = [from[0], to[0]].map((v) => inside(v, box.left, box.width)).sort((a, b) => a - b);
        const [top, low] = [from[1], to[1]].map((v) => inside(v, box.top, box.height)).sort((a, b) => a - b);
        return right - left < 5 && low - top < 5 ? null : { left, top, width: right - left, height: low - top };
    }

    private caseAt(x: number, y: number): number {
        const { box } = this;
        if (this.steps) {
            const [across, up] = this.steps;
            const find = (edges: number[], value: number): number => edges.findIndex((edge, i) => i + 1 < edges.length && value >= edge && value <= edges[i + 1]);
            const i = find(across.edges, backFrom(this.xs, (x - box.left) / box.width));
            const j = find(up.edges, backFrom(this.ys, 1 - (y - box.top) / box.height));
            return i < 0 || j < 0 ? -1 : this.cells[i + across.values.length * j];
        }
        let [best, found] = [NEAR * NEAR, -1];
        for (let i = 0; i < this.sweep.count; i++) {
            const [px, py] = this.spot(i);
            const d = this.kind === "curve" ? (px - x) ** 2 : (px - x) ** 2 + (py - y) ** 2;
            if (d < best) [best, found] = [d, i];
        }
        return found;
    }

    private listen(): void {
        const { canvas } = this;
        canvas.addEventListener("pointerdown", (event) => {
            if (event.button !== 0) return;
            const at = this.place(event);
            if (event.pointerType === "mouse") {
                this.drag = { from: at, to: at };
                canvas.setPointerCapture(event.pointerId);
            }
        });
        canvas.addEventListener("pointermove", (event) => {
            const at = this.place(event);
            if (this.drag) {
                this.drag.to = at;
                this.redraw();
            }
            if (!this.drag || !this.rectangle()) this.looking.point(this.caseAt(...at));
        });
        canvas.addEventListener("pointerup", (event) => this.released(event));
        canvas.addEventListener("pointerleave", () => { if (!this.drag) this.looking.point(-1); });
        canvas.addEventListener("keydown", (event) => {
            if (this.key(event.key)) {
                event.preventDefault();
                event.stopPropagation();
            }
        });
    }

    private released(event: PointerEvent): void {
        const rectangle = this.drag ? this.rectangle() : null;
        this.drag = null;
        if (rectangle) {
            this.select(rectangle);
            return;
        }
        const which = this.caseAt(...this.place(event));
        if (which >= 0) this.looking.choose(which);
        else this.looking.clear();
    }

    private select({ left, top, width, height }: Box): void {
        const { box } = this;
        const across = [left, left + width].map((v) => backFrom(this.xs, (v - box.left) / box.width));
        const up = [top + height, top].map((v) => backFrom(this.ys, 1 - (v - box.top) / box.height));
        this.looking.brush(this.x, [across[0], across[1]]);
        this.looking.brush(this.y, this.kind === "curve" && height > 0.8 * box.height ? null : [up[0], up[1]]);
    }

    private key(key: string): boolean {
        const { looking } = this;
        const [right, up] = [{ ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0, { ArrowDown: -1, ArrowUp: 1 }[key] ?? 0];
        if (key === "Escape" && looking.brushed) looking.clear();
        else if (right === 0 && up === 0) return false;
        else looking.choose(this.neighbour(looking.at, right, up));
        return true;
    }

    private neighbour(which: number, right: number, up: number): number {
        if (which < 0) return this.order[0];
        if (!this.steps) return this.order[Math.min(this.order.length - 1, Math.max(0, this.order.indexOf(which) + right + up))];
        const columns = this.steps[0].values.length;
        const at = this.cellOf(which);
        const [i, j] = [(at % columns) + right, Math.floor(at / columns) + up];
        const there = i >= 0 && i < columns && j >= 0 && j < this.steps[1].values.length ? this.cells[i + columns * j] : -1;
        return there >= 0 ? there : which;
    }
}


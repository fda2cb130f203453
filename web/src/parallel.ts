// Parallel coordinates: an axis for each parameter and result, a line for each case. Dragging along an axis selects what passes
// there; a click on it selects all again.
import { along, backFrom, line, marksOf, Picture, scaleOf, shade, type Scale } from "./canvas";
import { hasNumbers, type Column, type Looking, type Sweep } from "./cases";
import { colours } from "./theme";

const MARGIN = { side: 46, top: 34, bottom: 16 };
const DRAWN_MOST = 4000; // lines that are not selected
const GRASP = 22; // pixels beside an axis

export class Parallel extends Picture {
    private columns: Column[] = [];
    private scales: Scale[] = [];
    private colour: Column | null = null;
    private shades!: Scale;
    private revision = 0; // of what is drawn
    private drag: { axis: number; from: number; to: number } | null = null;

    constructor(private readonly sweep: Sweep, private readonly looking: Looking) {
        super("parallel", "Parameters and results of all cases: drag along an axis to select");
        looking.onChange(() => this.redraw());
        this.listen();
    }

    show(columns: Column[], colour: Column): void {
        this.columns = columns;
        this.colour = colour;
        const known = (c: Column, air: number): Scale => scaleOf(Array.from(c.values).filter((_, i) => c.kind === "parameter" || hasNumbers(this.sweep, i)), c.log, air);
        this.scales = columns.map((c) => known(c, 0.02));
        this.shades = known(colour, 0);
        this.revision++;
        this.redraw();
    }

    private x(axis: number): number {
        return MARGIN.side + ((this.width - 2 * MARGIN.side) * axis) / Math.max(1, this.columns.length - 1);
    }

    private y(axis: number, value: number): number {
        return MARGIN.top + (this.height - MARGIN.top - MARGIN.bottom) * (1 - along(this.scales[axis], value));
    }

    // --- drawing ------------------------------------------------------------------------------------------------------------

    protected paint(ctx: CanvasRenderingContext2D): void {
        this.ground(ctx, `${this.revision} ${this.looking.version}`, (below) => this.paintAll(below));
        ctx.strokeStyle = colours().ink;
        ctx.lineWidth = 2.25;
        if (this.looking.at >= 0) this.strand(ctx, this.looking.at);
        this.columns.forEach((_, k) => this.axis(ctx, k));
    }

    private paintAll(ctx: CanvasRenderingContext2D): void {
        const { sweep, looking, bad } = this;
        const every = Math.ceil(sweep.count / DRAWN_MOST);
        ctx.lineWidth = 1;
        ctx.strokeStyle = colours().faint;
        ctx.globalAlpha = 0.25;
        if (looking.brushed) for (let i = 0; i < sweep.count; i += every) if (!looking.selects(i)) this.strand(ctx, i);
        ctx.globalAlpha = Math.max(0.12, Math.min(0.9, 15 / Math.sqrt(sweep.count)));
        for (let i = 0; i < sweep.count; i += every) {
            if (!looking.selects(i)) continue;
            ctx.strokeStyle = hasNumbers(sweep, i) ? shade(along(this.shades, this.colour!.values[i]), true) : bad;
            this.strand(ctx, i);
        }
    }

    // Of a case that failed, as far as it is known.
    private strand(ctx: CanvasRenderingContext2D, which: number): void {
        const points: number[] = [];
        this.columns.forEach((c, k) => {
            const value = c.values[which];
            if (Number.isFinite(value) && (c.kind === "parameter" || hasNumbers(this.sweep, which))) points.push(this.x(k), this.y(k, value));
        });
        line(ctx, points);
    }

    private axis(ctx: CanvasRenderingContext2D, k: number): void {
        const { muted, ink, paper } = colours();
        const accent = getComputedStyle(this.element).getPropertyValue("--accent");
        const x = this.x(k);
        const column = this.columns[k];
        const range = this.drag?.axis === k ? this.dragged() : this.looking.ranges.get(column);
        ctx.lineWidth = 1;
        ctx.strokeStyle = muted;
        line(ctx, [x, MARGIN.top, x, this.height - MARGIN.bottom]);
        if (range) {
            const [top, low] = [this.y(k, range[1]), this.y(k, range[0])].map((v) => Math.min(this.height - MARGIN.bottom, Math.max(MARGIN.top, v)));
            ctx.fillStyle = accent;
            ctx.globalAlpha = 0.35;
            ctx.fillRect(x - 6, top, 12, Math.max(2, low - top));
            ctx.globalAlpha = 1;
        }
        const { at, labels, power } = marksOf(this.scales[k], Math.max(2, this.height / 60));
        const last = k === this.columns.length - 1 && k > 0;
        ctx.textAlign = last ? "left" : "right";
        ctx.textBaseline = "middle";
        at.forEach((value, i) => {
            const y = this.y(k, value);
            const label = labels[i] + (i === at.length - 1 && power ? `·10^${power}` : "");
            ctx.strokeStyle = paper;
            ctx.lineWidth = 4;
            ctx.strokeText(label, last ? x + 7 : x - 7, y);
            ctx.fillStyle = muted;
            ctx.fillText(label, last ? x + 7 : x - 7, y);
        });
        ctx.fillStyle = ink;
        ctx.font = "italic 14px 'Source Serif 4', serif";
        ctx.textAlign = k === 0 ? "left" : last ? "right" : "center";
        ctx.textBaseline = "alphabetic";
        const room = (this.width - 2 * MARGIN.side) / Math.max(1, this.columns.length - 1) - 8;
        ctx.fillText(fitting(ctx, column.shown, Math.max(60, room)), k === 0 ? x - 40 : last ? x + 40 : x, 18);
        ctx.font = "13px 'Source Sans 3', system-ui, sans-serif";
    }

    // --- pointers -------------------------------------------------------------------------------------------------------------

    private valueAt(axis: number, y: number): number {
        return backFrom(this.scales[axis], Math.min(1, Math.max(0, 1 - (y - MARGIN.top) / (this.height - MARGIN.top - MARGIN.bottom))));
    }

    private dragged(): [number, number] {
        const { axis, from, to } = this.drag!;
        return [this.valueAt(axis, Math.max(from, to)), this.valueAt(axis, Math.min(from, to))];
    }

    private axisAt(x: number): number {
        return this.columns.findIndex((_, k) => Math.abs(this.x(k) - x) < GRASP);
    }

    private caseAt(x: number, y: number): number {
        const k = this.columns.findIndex((_, i) => i + 1 < this.columns.length && x >= this.x(i) && x <= this.x(i + 1));
        if (k < 0) return -1;
        const part = (x - this.x(k)) / (this.x(k + 1) - this.x(k));
        let [best, found] = [10, -1];
        for (let i = 0; i < this.sweep.count; i++) {
            if (!this.looking.selects(i)) continue;
            const d = Math.abs((1 - part) * this.y(k, this.columns[k].values[i]) + part * this.y(k + 1, this.columns[k + 1].values[i]) - y);
            if (d < best) [best, found] = [d, i];
        }
        return found;
    }

    private listen(): void {
        const { canvas } = this;
        canvas.addEventListener("pointerdown", (event) => {
            const [x, y] = this.place(event);
            const axis = this.axisAt(x);
            if (event.button !== 0 || axis < 0) return;
            this.drag = { axis, from: y, to: y };
            canvas.setPointerCapture(event.pointerId);
        });
        canvas.addEventListener("pointermove", (event) => {
            const [x, y] = this.place(event);
            canvas.style.cursor = this.drag || this.axisAt(x) >= 0 ? "row-resize" : "crosshair";
            if (!this.drag) {
                this.looking.point(this.caseAt(x, y));
                return;
            }
            this.drag.to = y;
            this.redraw();
        });
        canvas.addEventListener("pointerup", (event) => {
            const [x, y] = this.place(event);
            const { drag } = this;
            if (!drag) {
                const which = this.caseAt(x, y);
                if (which >= 0) this.looking.choose(which);
                return;
            }
            const range = Math.abs(drag.to - drag.from) < 4 ? null : this.dragged();
            this.drag = null;
            this.looking.brush(this.columns[drag.axis], range);
        });
        canvas.addEventListener("pointerleave", () => { if (!this.drag) this.looking.point(-1); });
        canvas.addEventListener("keydown", (event) => {
            if (event.key !== "Escape" || !this.looking.brushed) return;
            this.looking.clear();
            event.stopPropagation();
        });
    }
}

function fitting(ctx: CanvasRenderingContext2D, text: string, width: number): string {
    if (ctx.measureText(text).width <= width) return text;
    let end = text.length;
    while (end > 1 && ctx.measureText(`${text.slice(0, end)}…`).width > width) end--;
    return `${text.slice(0, end)}…`;
}

// A canvas that is as large as its place, with axes: what the pictures of a sweep are drawn on.
import { decades, marks, type Marks } from "./chart-save";
import { h } from "./dom";
import type { Numbers } from "./data";
import { number } from "./format";
import { colours, isDark } from "./theme";

export interface Box { left: number; top: number; width: number; height: number }
export interface Scale { low: number; high: number; log: boolean }

export function scaleOf(values: Iterable<number>, log: boolean, air = 0): Scale {
    let [low, high] = [Infinity, -Infinity];
    for (const v of values) {
        if (!Number.isFinite(v) || (log && v <= 0)) continue;
        if (v < low) low = v;
        if (v > high) high = v;
    }
    if (low > high) return { low: 0, high: 1, log: false };
    if (low === high) return log ? { low: low / 2, high: 2 * high, log } : { low: low - (Math.abs(low) || 1) / 2, high: high + (Math.abs(high) || 1) / 2, log };
    const room = air * (log ? Math.log(high / low) : high - low);
    return log ? { low: low / Math.exp(room), high: high * Math.exp(room), log } : { low: low - room, high: high + room, log };
}

// From 0 at its low end to 1.
export function along({ low, high, log }: Scale, value: number): number {
    return log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}

export function backFrom({ low, high, log }: Scale, part: number): number {
    return log ? low * (high / low) ** part : low + part * (high - low);
}

export function marksOf({ low, high, log }: Scale, count: number): Marks {
    const tens = log ? decades([low, high]) : null;
    return tens && tens.at.length > 1 ? tens : marks([low, high], count);
}

const VIRIDIS = [[68, 1, 84], [70, 50, 126], [54, 92, 141], [39, 127, 142], [31, 161, 135], [74, 193, 109], [160, 218, 57], [253, 231, 37]];

// A colour of the scale for 0 to 1; of lines without the end that the paper swallows.
export function shade(part: number, line = false): string {
    if (!Number.isFinite(part)) return colours().faint;
    const within = Math.min(1, Math.max(0, part));
    const place = (line ? (isDark() ? 0.25 + 0.75 * within : 0.85 * within) : within) * (VIRIDIS.length - 1);
    const i = Math.min(VIRIDIS.length - 2, Math.floor(place));
    const mixed = VIRIDIS[i].map((v, k) => Math.round(v + (place - i) * (VIRIDIS[i + 1][k] - v)));
    return `rgb(${mixed.join(",")})`;
}

export abstract class Picture {
    readonly canvas: HTMLCanvasElement;
    readonly element: HTMLElement;
    protected width = 0;
    protected height = 0;
    private scheduled = false;
    private below: { key: string; canvas: HTMLCanvasElement } | null = null;

    constructor(className: string, label: string) {
        this.canvas = h("canvas", { class: "picture-canvas", tabindex: 0, role: "img", "aria-label": label });
        this.element = h("div", { class: `picture ${className}` }, this.canvas);
        new ResizeObserver(() => this.redraw()).observe(this.element);
    }

    redraw(): void {
        if (this.scheduled) return;
        this.scheduled = true;
        requestAnimationFrame(() => {
            this.scheduled = false;
            this.redrawNow();
        });
    }

    redrawNow(): void {
        [this.width, this.height] = [this.element.clientWidth, this.element.clientHeight];
        if (this.width > 0 && this.height > 0) this.paint(this.fresh(this.canvas));
    }

    private fresh(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
        canvas.width = Math.round(this.width * devicePixelRatio);
        canvas.height = Math.round(this.height * devicePixelRatio);
        const ctx = canvas.getContext("2d")!;
        ctx.scale(devicePixelRatio, devicePixelRatio);
        ctx.font = "13px 'Source Sans 3', system-ui, sans-serif";
        return ctx;
    }

    // What stays the same as long as the key does: only what is pointed at is drawn anew.
    protected ground(ctx: CanvasRenderingContext2D, key: string, paint: (ctx: CanvasRenderingContext2D) => void): void {
        const { paper, ink } = colours();
        const whole = [key, this.width, this.height, devicePixelRatio, paper, ink].join(" ");
        if (this.below?.key !== whole) {
            this.below = { key: whole, canvas: this.below?.canvas ?? document.createElement("canvas") };
            paint(this.fresh(this.below.canvas));
        }
        ctx.drawImage(this.below.canvas, 0, 0, this.width, this.height);
    }

    protected abstract paint(ctx: CanvasRenderingContext2D): void;

    protected get bad(): string { return getComputedStyle(this.element).getPropertyValue("--bad"); }

    protected place(event: PointerEvent | MouseEvent): [number, number] {
        const area = this.canvas.getBoundingClientRect();
        return [event.clientX - area.left, event.clientY - area.top];
    }
}

const raised = (power: number): string => (power ? `  ×${number(10 ** power, 1)}` : "");

function write(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, align: CanvasTextAlign, baseline: CanvasTextBaseline): void {
    ctx.textAlign = align;
    ctx.textBaseline = baseline;
    ctx.fillText(text, x, y);
}

function name(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, align: CanvasTextAlign, baseline: CanvasTextBaseline): void {
    ctx.save();
    ctx.font = "italic 14px 'Source Serif 4', serif";
    ctx.fillStyle = colours().ink;
    write(ctx, text, x, y, align, baseline);
    ctx.restore();
}

// Lines and numbers of both axes, with the names of what they are.
export function drawAxes(ctx: CanvasRenderingContext2D, box: Box, x: Scale, y: Scale, names: [string, string], lines = true): void {
    const { muted, grid, faint } = colours();
    const [across, up] = [marksOf(x, Math.max(2, box.width / 90)), marksOf(y, Math.max(2, box.height / 50))];
    ctx.lineWidth = 1;
    ctx.strokeStyle = grid;
    ctx.fillStyle = muted;
    across.at.forEach((value, i) => {
        const at = box.left + box.width * along(x, value);
        if (lines) line(ctx, [at, box.top, at, box.top + box.height]);
        write(ctx, across.labels[i], at, box.top + box.height + 6, "center", "top");
    });
    up.at.forEach((value, i) => {
        const at = box.top + box.height * (1 - along(y, value));
        if (lines) line(ctx, [box.left, at, box.left + box.width, at]);
        write(ctx, up.labels[i], box.left - 7, at, "right", "middle");
    });
    ctx.strokeStyle = faint;
    line(ctx, [box.left, box.top + box.height, box.left + box.width, box.top + box.height]);
    name(ctx, names[0] + raised(across.power), box.left + box.width, box.top + box.height + 40, "right", "bottom");
    name(ctx, names[1] + raised(up.power), Math.max(0, box.left - 44), box.top - 8, "left", "bottom");
}

// A strip of the colours, with its numbers beside it.
export function drawShades(ctx: CanvasRenderingContext2D, box: Box, scale: Scale, title: string, line = false): void {
    const { muted } = colours();
    for (let i = 0; i < box.height; i++) {
        ctx.fillStyle = shade(1 - i / box.height, line);
        ctx.fillRect(box.left, box.top + i, box.width, 1.5);
    }
    ctx.fillStyle = muted;
    const { at, labels, power } = marksOf(scale, Math.max(2, box.height / 50));
    at.forEach((value, i) => write(ctx, labels[i], box.left + box.width + 6, box.top + box.height * (1 - along(scale, value)), "left", "middle"));
    name(ctx, title + raised(power), box.left + box.width + 46, box.top - 8, "right", "bottom");
}

export function line(ctx: CanvasRenderingContext2D, points: readonly number[] | Numbers): void {
    ctx.beginPath();
    for (let i = 0; i + 1 < points.length; i += 2) ctx.lineTo(points[i], points[i + 1]);
    ctx.stroke();
}

// Where a case failed.
export function cross(ctx: CanvasRenderingContext2D, x: number, y: number, size: number): void {
    line(ctx, [x - size, y - size, x + size, y + size]);
    line(ctx, [x - size, y + size, x + size, y - size]);
}

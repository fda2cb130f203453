// Curves of many cases in one picture, coloured by a parameter: outputs whose samples were kept, or the model's own plots, for which
// the engine of the page runs the cases one after the other.
import { along, drawAxes, drawShades, Picture, scaleOf, shade, type Box, type Scale } from "./canvas";
import { hasNumbers, valuesOf, varied, type Column, type Looking, type Sweep } from "./cases";
import type { Numbers, Plot, Run } from "./data";
import { h } from "./dom";
import type { PageEngine } from "./engine";
import { plural } from "./format";
import { colours } from "./theme";
import { drawPath } from "./thin";

const PICTURES_MOST = 6;
const CASES_MOST = 200;
const POINTS_MOST = 1200; // of a curve
const PATIENCE = 30; // seconds that all of them may take

interface Curve { which: number; x: Numbers; y: Numbers }

class Bundle extends Picture {
    private readonly curves: Curve[] = [];
    private readonly xs: Scale = { low: Infinity, high: -Infinity, log: false };
    private readonly ys: Scale = { low: Infinity, high: -Infinity, log: false };

    constructor(private readonly looking: Looking, private colour: Column, private readonly names: [string, string]) {
        super("bundle", `${names[1]} over ${names[0]}, of all cases`);
    }

    tint(colour: Column): void {
        this.colour = colour;
        this.redraw();
    }

    add(curve: Curve): void {
        this.curves.push(curve);
        for (const [scale, values] of [[this.xs, curve.x], [this.ys, curve.y]] as const) {
            const { low, high } = scaleOf(values, false);
            scale.low = Math.min(scale.low, low);
            scale.high = Math.max(scale.high, high);
        }
        this.redraw();
    }

    private get box(): Box { return { left: 64, top: 28, width: this.width - 64 - 84, height: this.height - 28 - 42 }; }

    protected paint(ctx: CanvasRenderingContext2D): void {
        if (this.curves.length === 0) return;
        this.ground(ctx, `${this.curves.length} ${this.colour.name} ${this.looking.version}`, (below) => this.paintAll(below));
        this.clip(ctx);
        for (const c of this.curves) if (c.which === this.looking.at) this.stroke(ctx, c, colours().ink, 2.5);
    }

    private clip(ctx: CanvasRenderingContext2D): void {
        const { left, top, width, height } = this.box;
        ctx.beginPath();
        ctx.rect(left, top - 2, width, height + 4);
        ctx.clip();
        ctx.lineJoin = "round";
    }

    private paintAll(ctx: CanvasRenderingContext2D): void {
        const { box } = this;
        const shades = scaleOf(this.colour.values, this.colour.log);
        drawAxes(ctx, box, this.xs, this.ys, this.names);
        drawShades(ctx, { left: box.left + box.width + 16, top: box.top, width: 12, height: box.height }, shades, this.colour.shown, true);
        this.clip(ctx);
        ctx.globalAlpha = 0.3;
        for (const c of this.curves) if (!this.looking.selects(c.which)) this.stroke(ctx, c, colours().faint, 1);
        ctx.globalAlpha = 0.75;
        for (const c of this.curves) if (this.looking.selects(c.which)) this.stroke(ctx, c, shade(along(shades, this.colour.values[c.which]), true), 1.1);
    }

    private stroke(ctx: CanvasRenderingContext2D, { x, y }: Curve, colour: string, width: number): void {
        const { box } = this;
        const points = new Float64Array(2 * x.length);
        for (let i = 0; i < x.length; i++) {
            points[2 * i] = box.left + box.width * along(this.xs, x[i]);
            points[2 * i + 1] = box.top + box.height * (1 - along(this.ys, y[i]));
        }
        ctx.strokeStyle = colour;
        ctx.lineWidth = width;
        ctx.beginPath();
        drawPath(ctx, points);
        ctx.stroke();
    }
}

function thinned(values: Numbers): Numbers {
    const every = Math.ceil(values.length / POINTS_MOST);
    return every === 1 ? Float32Array.from(values) : Float32Array.from({ length: Math.ceil(values.length / every) }, (_, i) => values[Math.min(values.length - 1, i * every)]);
}

export class Bundles {
    readonly element = h("section", { class: "bundles", "aria-label": "Curves of all cases", hidden: true });
    private readonly holder = h("div", { class: "bundle-pictures" });
    private readonly note = h("p", { class: "note", role: "status" });
    private readonly go = h("button", { type: "button", class: "small", hidden: true }, "Run the others, too");
    private pictures: Bundle[] = [];
    private colour: Column;
    private known = false; // which pictures there are

    constructor(private readonly sweep: Sweep, private readonly looking: Looking) {
        this.element.append(h("div", { class: "chart-head" }, h("h3", {}, "Curves of all cases"), this.go), this.note, this.holder);
        this.colour = varied(sweep).at(0) ?? sweep.columns[0];
        looking.onChange(() => this.redraw());
        this.samples();
    }

    redraw(): void { for (const picture of this.pictures) picture.redraw(); }

    // By which they are coloured.
    tint(colour: Column): void {
        this.colour = colour;
        for (const picture of this.pictures) picture.tint(colour);
    }

    get kept(): boolean { return this.sweep.samples !== null; }

    private make(titles: [string, [string, string]][]): void {
        this.known = true;
        this.pictures = titles.map(([, names]) => new Bundle(this.looking, this.colour, names));
        this.holder.replaceChildren(...titles.map(([title], i) => h("figure", {}, h("figcaption", { dir: "auto" }, title), this.pictures[i].element)));
        this.element.hidden = this.pictures.length === 0;
    }

    // What was kept while the sweep ran.
    private samples(): void {
        const { samples } = this.sweep;
        if (!samples) return;
        const curves = samples.curves.slice(0, PICTURES_MOST);
        this.make(curves.map((c) => [c.shown, ["t", c.shown]]));
        let from = 0;
        samples.cases.forEach((which, i) => {
            const to = from + samples.lengths[i];
            curves.forEach((c, k) => this.pictures[k].add({ which, x: samples.times.subarray(from, to), y: c.values.subarray(from, to) }));
            from = to;
        });
        this.note.textContent = this.part(samples.cases.length);
    }

    // The model's own plots; the first run tells which they are, and how long each takes.
    async run(engine: PageEngine): Promise<void> {
        const all = this.chosen();
        let began = 0; // the first one waits for the engine
        for (let i = 0; i < all.length; i++) {
            const run = await engine.ask(this.sweep.run, valuesOf(this.sweep, all[i]));
            if (run) this.take(run, all[i]);
            if (this.pictures.length === 0) return;
            if (i === 0) began = performance.now();
            const each = (performance.now() - began) / 1000 / Math.max(1, i);
            this.note.textContent = this.part(i + 1);
            if (i === 3 && each * all.length > PATIENCE) await this.wait();
        }
    }

    private part(count: number): string {
        return count < this.sweep.count ? `${count} of ${plural(this.sweep.count, "case")}` : "";
    }

    private wait(): Promise<void> {
        this.go.hidden = false;
        return new Promise((done) => this.go.addEventListener("click", () => {
            this.go.hidden = true;
            done();
        }, { once: true }));
    }

    private chosen(): number[] {
        const every = Math.ceil(this.sweep.count / CASES_MOST);
        return Array.from({ length: Math.ceil(this.sweep.count / every) }, (_, i) => i * every).filter((i) => hasNumbers(this.sweep, i));
    }

    private take(run: Run, which: number): void {
        const series = run.plots.flatMap((plot) => plot.series.map((s) => ({ plot, s }))).slice(0, PICTURES_MOST);
        if (!this.known) this.make(series.map(({ plot, s }) => [titleOf(plot, s.shown), [plot.x.shown, s.shown]]));
        series.forEach(({ plot, s }, k) => this.pictures.at(k)?.add({ which, x: thinned(plot.x.values), y: thinned(s.values) }));
    }
}

function titleOf(plot: Plot, shown: string): string {
    return plot.series.length > 1 ? `${plot.title}: ${shown}` : plot.title;
}


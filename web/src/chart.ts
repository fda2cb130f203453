// A chart: curves over time (or whatever rises), or over each other. Drag to zoom, double click to see all again; the
// cursor is the page's time. uPlot draws, and thins by lowest and highest for each pixel; the legend and the marks at the
// cursor are ours: buttons that a keyboard reaches, with the values of the sample itself.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Clock } from "./clock";
import { PLAIN, type Axis, type Numbers, type Plot, type Series } from "./data";
import { figure, h } from "./dom";
import { chartCsv, chartSvg, fileName, png, save, type Shown } from "./chart-save";
import { drawGhost } from "./ghost";
import { constantTo, number, superscript, ticks } from "./format";
import { alike, covering, flat, offsetOf, range, rises, type Flat } from "./span";
import { colours } from "./theme";
import { drawPath } from "./thin";

const DASHES: number[][] = [[], [7, 4], [2, 3]];
const AXIS_FONT = "12px 'Source Sans 3', system-ui, sans-serif";
const LABEL_FONT = "italic 14px 'Source Serif 4', Georgia, serif";
const DIGITS = 7;

type Values = Numbers | (number | null)[];
interface Mark { dot: HTMLElement; value: HTMLElement; button: HTMLButtonElement }

export class Chart {
    readonly element: HTMLElement;
    private readonly title = h("h3");
    private readonly legend = h("div", { class: "legend", role: "group", "aria-label": "Curves" });
    private readonly holder = h("div", { class: "chart-holder", tabindex: 0, role: "group" });
    private readonly reset = h("button", { type: "button", class: "small reset", click: () => this.all() }, "Reset zoom");
    private readonly notes = [h("span", { class: "power-x" }), h("span", { class: "power-y" })];
    private readonly line = h("div", { class: "time-line" });
    private readonly logButton = h("button", { type: "button", class: "small", "aria-pressed": "false", title: "Logarithmic axis", click: () => this.toggleLog() }, "log");
    private readonly saver = h("details", { class: "saver" }, h("summary", { class: "small" }, "Save"),
        h("div", { class: "saver-list" }, ...(["SVG", "PNG", "CSV"] as const).map((kind) =>
            h("button", { type: "button", class: "small", click: () => void this.save(kind) }, kind))));
    private plot: Plot = { title: "", equal: false, axes: [PLAIN, PLAIN], x: { label: "", shown: "", accuracy: 0, values: new Float64Array(0) }, series: [] };
    private drawn: Numbers[] = []; // values, those of constants without their noise
    private flats: (Flat | null)[] = [];
    private log = false;
    private following = false; // another chart is zoomed
    private ghost: Plot | null = null;
    private u: uPlot | null = null;
    private marks: Mark[] = [];
    private hidden = new Set<string>();
    private rising = true;
    private offset = 0; // which the axis of y leaves out, where values hardly vary
    private equal = false; // both axes have one scale
    private covering: boolean[] = []; // which curves lie on an earlier one
    private shown = -1;
    private readonly touches = new Map<number, number>(); // pointer to its x

    // zoomed: the range of time that was chosen here, null for all of it
    constructor(private readonly clock: Clock, private readonly zoomed: (from: Chart, time: [number, number] | null) => void = () => undefined) {
        this.element = h("figure", { class: "chart" },
            h("figcaption", {}, h("div", { class: "chart-head" }, this.title, h("div", { class: "chart-tools" }, this.reset, this.logButton, this.saver)), this.legend),
            this.holder);
        this.holder.append(...this.notes);
        this.reset.hidden = true;
        new ResizeObserver(() => this.resize()).observe(this.holder);
    }

    // ghost: the same plot of the run before, drawn faintly
    load(plot: Plot, ghost: Plot | null = null): void {
        this.ghost = ghost && ghost !== plot ? ghost : null;
        if (plot.axes[1].log !== this.plot.axes[1].log) this.setLog(plot.axes[1].log);
        const same = this.u && JSON.stringify(plot.axes) === JSON.stringify(this.plot.axes) && plot.x.label === this.plot.x.label && plot.series.length === this.plot.series.length
            && plot.series.every((s, i) => s.label === this.plot.series[i].label) && (!plot.axes[0].log && rises(plot.x.values)) === this.rising;
        const [equal, dashes] = [this.equal, this.covering.join()];
        this.plot = plot;
        this.rising = !plot.axes[0].log && rises(plot.x.values);
        this.flats = plot.series.map((s) => flat(s.values, s.accuracy));
        this.drawn = plot.series.map((s, i) => (this.flats[i] ? new Float64Array(s.values.length).fill(this.flats[i].level) : s.values));
        this.covering = covering(this.drawn);
        this.title.textContent = plot.title;
        this.equal = plot.equal && alike(range([plot.x.values]), range(this.drawn));
        const positive = this.drawn.some((v) => v.some((y) => y > 0));
        this.logButton.hidden = this.equal || !positive;
        this.setLog(this.log && positive && !this.equal);
        this.element.classList.toggle("equal", this.equal);
        this.offset = this.equal || this.log || bounded(plot.axes[1]) ? 0 : offsetOf(this.drawn);
        const names = plot.series.map((s) => s.label).join(", ");
        this.holder.setAttribute("aria-label",
            `Chart ${plot.title}: ${names} over ${plot.x.label}. Arrow keys move in time, plus and minus zoom.`);
        if (same && equal === this.equal && dashes === this.covering.join()) {
            const zoomed = !this.reset.hidden;
            this.u!.setData(this.data(), !zoomed);
            if (zoomed) this.u!.redraw(true);
        } else {
            this.make();
        }
        this.shown = -1;
        this.draw();
    }

    get focused(): boolean { return this.holder === document.activeElement; }

    redraw(): void {
        this.marks.forEach((mark, i) => this.tint(mark, i));
        this.resize();
        this.u?.redraw(false);
    }

    // --- what uPlot draws -----------------------------------------------------------------------------------------------

    private make(): void {
        this.u?.destroy();
        this.u = null;
        this.reset.hidden = true;
        this.fillLegend();
        const width = this.holder.clientWidth;
        if (width === 0) return; // made when it is laid out
        this.u = new uPlot(this.options(width, this.holder.clientHeight), this.data(), this.holder);
        this.u.over.append(this.line, ...this.marks.map((m) => m.dot));
        this.line.hidden = !this.rising;
        this.listen(this.u.over);
        this.equalise();
    }

    private data(): uPlot.AlignedData {
        const { x } = this.plot;
        const xs = clean(this.plot.axes[0].log ? x.values.map((v) => (v > 0 ? v : NaN)) : x.values);
        const shown = (v: number): number => (this.log ? (v > 0 ? v : NaN) : v - this.offset);
        const ys = this.drawn.map((values) => clean(fitted(this.offset === 0 && !this.log ? values : values.map(shown), x.values.length)));
        if (this.rising) return [xs, ...ys] as uPlot.AlignedData;
        return [null, ...ys.map((y) => [xs, y])] as unknown as uPlot.AlignedData;
    }

    private options(width: number, height: number): uPlot.Options {
        const curve = (s: Series, i: number): uPlot.Series => ({
            label: s.label,
            stroke: () => tone(i),
            width: 1.75,
            pxAlign: 0,
            dash: this.dash(i),
            points: { show: this.plot.x.values.length === 1 },
            show: !this.hidden.has(s.label),
            ...(this.rising ? {} : { facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }], paths: paths(i, this.dash(i)) }),
        });
        return {
            width, height,
            // An enumeration that exists in its types only: 1 is curves over one x, 2 each over its own.
            mode: this.rising ? 1 : 2,
            padding: [8, 18, 0, 0],
            legend: { show: false },
            cursor: {
                x: false, y: false, points: { show: false },
                drag: { x: true, y: !this.rising, dist: 6, uni: this.rising ? (null as unknown as number) : 20 },
            },
            scales: this.scales(),
            axes: [this.axis(0), this.axis(1)],
            series: [this.rising ? {} : (null as unknown as uPlot.Series), ...this.plot.series.map(curve)],
            hooks: {
                drawAxes: [(u) => { if (this.ghost) drawGhost(u, this.ghost, this.offset, (i) => (this.hidden.has(this.ghost!.series[i].label) ? "" : tone(i))); }],
                setScale: [(u, key) => this.scaled(u, key)], draw: [() => this.redrawn()],
            },
        };
    }

    private scales(): uPlot.Scales {
        if (this.equal) return { x: { time: false, range: (u) => this.equalRange(u, "x") }, y: { range: (u) => this.equalRange(u, "y") } };
        const [across, up] = this.plot.axes;
        const scale = (axis: Axis, log: boolean): uPlot.Scale => (log ? { distr: 3, range: within(axis, decades) } : { range: within(axis, spread) });
        const whole = this.rising && this.plot.x.values.length > 1 && !bounded(across);
        return { x: { time: false, ...(whole ? {} : scale(across, across.log)) }, y: scale(up, this.log) };
    }

    private axis(which: 0 | 1): uPlot.Axis {
        const stroke = (): string => colours().muted;
        const isPower = (v: number | null): boolean => v !== null && Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9;
        const isLog = which === 1 ? this.log : this.plot.axes[0].log;
        const rule = { stroke: () => colours().grid, width: 1, ...(isLog ? { filter: (_u: uPlot, splits: number[]) => splits.map((v) => (isPower(v) ? v : null)) } : {}) };
        return {
            stroke, font: AXIS_FONT,
            grid: rule,
            ticks: { stroke: () => colours().faint, width: 1, size: 5 },
            border: { show: true, stroke: () => colours().faint, width: 1 },
            gap: 4,
            space: which === 0 ? 70 : 36,
            values: (_u, splits, _axis, _space, step) => {
                if (isLog) {
                    this.notes[which].replaceChildren();
                    return splits.map((v) => (isPower(v) ? `10${superscript(Math.round(Math.log10(v)))}` : ""));
                }
                const written = ticks(splits, step);
                const power = written.power ? `×10${superscript(written.power)}` : "";
                const offset = which === 1 && this.offset !== 0 ? ` ${this.offset < 0 ? "−" : "+"} ${number(Math.abs(this.offset), 15)}` : "";
                this.notes[which].replaceChildren(figure(power + offset));
                return written.labels;
            },
            ...(which === 1 && this.plot.axes[1].label ? { label: this.plot.axes[1].label, labelFont: LABEL_FONT, labelSize: 22, labelGap: 0 } : {}),
            ...(which === 0
                ? { label: this.plot.axes[0].label || this.plot.x.shown, labelFont: LABEL_FONT, labelSize: 20, labelGap: 0, size: 28 }
                : { size: (_u: uPlot, labels: string[] | null) => 16 + 6.6 * Math.max(3, ...(labels ?? []).map((l) => l.length)) }),
        };
    }

    private resize(): void {
        const { clientWidth: width, clientHeight: height } = this.holder;
        if (width === 0) return;
        if (!this.u) this.make();
        else if (this.u.width !== width || this.u.height !== height) this.u.setSize({ width, height });
        this.equalise();
        this.shown = -1;
        this.draw();
    }

    // --- zoom -----------------------------------------------------------------------------------------------------------

    private scaled(u: uPlot, key: string): void {
        if (key !== "x") return;
        if (this.linked && !this.following) {
            const full = this.fullX;
            const { min: low, max: high } = u.scales["x"];
            const all = low === undefined || full === null || (low <= full[0] && high! >= full[1]);
            this.zoomed(this, all ? null : [low, high!]);
        }
        const full = this.fullX;
        const { min, max } = u.scales["x"];
        this.reset.hidden = full === null || min === undefined || (min <= full[0] && max! >= full[1]);
    }

    // Over time: zoomed together with the other charts.
    private get linked(): boolean {
        return this.rising && this.plot.x.label === "t";
    }

    // What another chart was zoomed to.
    follow(time: [number, number] | null): void {
        if (!this.linked || !this.u) return;
        const full = this.fullX;
        const [min, max] = time ?? full ?? [0, 1];
        this.following = true;
        this.u.setScale("x", { min, max });
        // uPlot tells of a scale a moment later
        queueMicrotask(() => { this.following = false; });
    }

    private toggleLog(): void {
        this.setLog(!this.log);
        this.load(this.plot);
        this.make();
    }

    private setLog(log: boolean): void {
        this.log = log;
        this.logButton.setAttribute("aria-pressed", String(log));
    }

    // Marks go where the curves are now, after a change of scale or size.
    private redrawn(): void {
        this.shown = -1;
        this.draw();
    }

    private get fullX(): [number, number] | null {
        const axis = this.plot.axes[0];
        const all = range([axis.log ? this.plot.x.values.filter((v) => v > 0) : this.plot.x.values]);
        return all && [axis.from ?? all[0], axis.to ?? all[1]];
    }

    // With a unit as long in one direction as in the other: a circle is a circle.
    private equalRange(u: uPlot, axis: "x" | "y"): uPlot.Range.MinMax {
        const [x, y] = [this.fullX, range(this.drawn.filter((_, i) => !this.hidden.has(this.plot.series[i].label)))];
        const [width, height] = u.bbox.width > 0 ? [u.bbox.width, u.bbox.height] : [u.width, u.height];
        if (!x || !y) return [-1, 1];
        const unit = 0.56 * Math.max((x[1] - x[0]) / width, (y[1] - y[0]) / height) || 1 / width;
        const [[low, high], length] = axis === "x" ? [x, width] : [y, height];
        return [(low + high) / 2 - unit * length, (low + high) / 2 + unit * length];
    }

    // Once more, as soon as the size of the axes is known.
    private equalise(): void {
        if (this.equal) requestAnimationFrame(() => { if (this.reset.hidden) this.all(); });
    }

    all(): void {
        this.u?.setData(this.data(), true);
        this.reset.hidden = true;
        this.shown = -1;
        this.draw();
    }

    // About the cursor, in x.
    zoomBy(factor: number): void {
        const { u } = this;
        if (!u) return;
        const { min, max } = u.scales["x"];
        if (typeof min !== "number" || typeof max !== "number") return;
        const x = this.plot.x.values[Math.min(this.clock.index, this.plot.x.values.length - 1)];
        const { log } = this.plot.axes[0];
        const [to, back] = log ? [Math.log10, (v: number): number => 10 ** v] : [Number, Number];
        const [left, right] = [to(min), to(max)];
        const centre = x >= min && x <= max ? to(x) : (left + right) / 2;
        let [low, high] = [back(centre - (centre - left) / factor), back(centre + (right - centre) / factor)];
        const full = this.fullX;
        if (this.rising && full) [low, high] = [Math.max(low, full[0]), Math.min(high, full[1])];
        u.setScale("x", { min: low, max: high });
    }

    // --- pointers ---------------------------------------------------------------------------------------------------------

    private listen(over: HTMLElement): void {
        over.addEventListener("pointermove", (event) => this.pointed(event));
        over.addEventListener("pointerdown", (event) => {
            if (event.pointerType === "touch") this.touches.set(event.pointerId, event.clientX);
            if (event.button === 0) {
                this.clock.pause();
                this.pointed(event, true);
            }
        });
        const release = (event: PointerEvent): boolean => this.touches.delete(event.pointerId);
        over.addEventListener("pointerup", release);
        over.addEventListener("pointercancel", release);
    }

    // Hovering moves the time at rest; while it plays, a click does.
    private pointed(event: PointerEvent, pressed = false): void {
        const { u, touches } = this;
        if (!u || this.clock.playing) return;
        if (touches.size === 2 && touches.has(event.pointerId)) {
            const other = [...touches].find(([id]) => id !== event.pointerId)![1];
            const before = Math.abs(touches.get(event.pointerId)! - other);
            const after = Math.abs(event.clientX - other);
            touches.set(event.pointerId, event.clientX);
            if (before > 10 && after > 10) this.zoomBy(after / before);
            return;
        }
        if (event.buttons > 0 && event.pointerType === "mouse" && !pressed) return; // a zoom is being drawn
        const area = u.over.getBoundingClientRect();
        const index = this.indexAt(u, event.clientX - area.left, event.clientY - area.top);
        if (index >= 0 && index <= this.clock.last) this.clock.seek(index);
    }

    // The sample under a pixel; of a curve over another, the nearest on the screen.
    private indexAt(u: uPlot, left: number, top: number): number {
        if (this.rising) return u.posToIdx(left);
        const xs = this.plot.x.values;
        let [best, index] = [Infinity, -1];
        for (const [k, values] of this.drawn.entries()) {
            if (this.hidden.has(this.plot.series[k].label)) continue;
            for (let i = 0; i < xs.length; i++) {
                const d = (u.valToPos(xs[i], "x") - left) ** 2 + (u.valToPos(values[i] - this.offset, "y") - top) ** 2;
                if (d < best) [best, index] = [d, i];
            }
        }
        return best < 40 * 40 ? index : -1;
    }

    // --- files ------------------------------------------------------------------------------------------------------------

    private shownNow(): Shown | null {
        const { u, plot } = this;
        const [x, y] = [u?.scales["x"], u?.scales["y"]];
        if (!u || typeof x?.min !== "number" || typeof y?.min !== "number") return null;
        const visible = plot.series.map((_, i) => i).filter((i) => !this.hidden.has(plot.series[i].label));
        const names = visible.map((i) => plot.series[i].shown + (this.flats[i] ? ` (${constantTo(this.flats[i].varies)})` : ""));
        return {
            title: plot.title, names,
            plot: { ...plot, series: visible.map((i) => ({ ...plot.series[i], values: this.drawn[i] })) },
            colours: visible.map(tone), dashes: visible.map((i) => this.dash(i)),
            x: [x.min, x.max!], y: [y.min + this.offset, y.max! + this.offset], log: [plot.axes[0].log, this.log],
            labels: [plot.axes[0].label || plot.x.shown, plot.axes[1].label || (visible.length === 1 ? plot.series[visible[0]].shown : "")],
        };
    }

    async save(kind: "SVG" | "PNG" | "CSV"): Promise<void> {
        const name = `${fileName(this.plot.title)}.${kind.toLowerCase()}`;
        this.saver.open = false;
        if (kind === "CSV") {
            save(new Blob([chartCsv(this.plot)], { type: "text/csv" }), name);
            return;
        }
        const shown = this.shownNow();
        if (!shown) return;
        const svg = chartSvg(shown);
        save(kind === "SVG" ? new Blob([svg], { type: "image/svg+xml" }) : await png(svg), name);
    }

    // --- the cursor and the legend ------------------------------------------------------------------------------------------

    // Curves repeat their colours with dashes, and one that lies on another lets it show through.
    private dash(i: number): number[] {
        const round = Math.floor(i / colours().series.length) + (this.covering[i] ? 1 : 0);
        return DASHES[round % DASHES.length];
    }

    private tint({ dot, button }: Mark, i: number): void {
        const dash = this.dash(i);
        button.style.setProperty("--tone", tone(i));
        button.dataset["dash"] = String(DASHES.indexOf(dash));
        dot.style.background = tone(i);
    }

    private fillLegend(): void {
        for (const mark of this.marks) mark.dot.remove();
        this.marks = this.plot.series.map((s, i) => {
            const value = h("span", { class: "value" });
            const shown = !this.hidden.has(s.label);
            const button = h("button", {
                type: "button", class: "curve", "aria-pressed": String(shown), title: "Show or hide; Shift: this one alone",
                click: (event: MouseEvent) => this.toggle(i, event.shiftKey),
            }, h("span", { class: "swatch" }), h("span", { class: "name", dir: "auto" }, s.shown), value, this.flats[i] && h("span", { class: "constant" }, figure(constantTo(this.flats[i].varies))));
            const mark = { dot: h("div", { class: "dot" }), value, button };
            this.tint(mark, i);
            return mark;
        });
        this.legend.replaceChildren(...this.marks.map((m) => m.button));
        this.legend.classList.toggle("long", this.marks.length > 16);
    }

    private toggle(which: number, alone: boolean): void {
        const { series } = this.plot;
        if (alone) {
            const only = series.every((s, i) => (i === which) !== this.hidden.has(s.label));
            series.forEach((s, i) => (only || i === which ? this.hidden.delete(s.label) : this.hidden.add(s.label)));
        } else if (!this.hidden.delete(series[which].label)) {
            this.hidden.add(series[which].label);
        }
        series.forEach((s, i) => {
            const show = !this.hidden.has(s.label);
            this.marks[i].button.setAttribute("aria-pressed", String(show));
            if (this.u && this.u.series[i + 1].show !== show) this.u.setSeries(i + 1, { show });
        });
        this.shown = -1;
        this.draw();
    }

    // Moves the marks to the clock's sample.
    draw(): void {
        const { u, clock } = this;
        if (!u || clock.index === this.shown) return;
        this.shown = clock.index;
        const i = Math.min(clock.index, this.plot.x.values.length - 1);
        const x = this.plot.x.values[i];
        const left = u.valToPos(x, "x");
        const inside = left >= -0.5 && left <= u.over.clientWidth + 0.5;
        this.line.style.transform = `translateX(${Math.min(left, u.over.clientWidth - 1).toFixed(1)}px)`;
        this.line.style.visibility = inside ? "" : "hidden";
        this.plot.series.forEach((s, k) => {
            const { dot, value, button } = this.marks[k];
            const y = i < s.values.length ? s.values[i] : NaN;
            const text = number(this.flats[k] ? this.flats[k].level : y, DIGITS);
            if (text.includes("10")) value.replaceChildren(figure(text));
            else value.textContent = text;
            if (!clock.playing) button.title = `${s.label} = ${y}; click to show or hide, with Shift this one alone`;
            const level = this.flats[k]?.level ?? y;
            const top = u.valToPos(this.log && !(level > 0) ? NaN : level - this.offset, "y");
            const seen = inside && Number.isFinite(y) && !this.hidden.has(s.label) && top >= -1 && top <= u.over.clientHeight + 1;
            dot.style.visibility = seen ? "" : "hidden";
            if (seen) dot.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
        });
    }
}

function tone(i: number): string {
    const { series } = colours();
    return series[i % series.length];
}

function fitted(values: Numbers, length: number): Numbers {
    if (values.length === length) return values;
    const made = new Float64Array(length).fill(NaN);
    made.set(values.subarray(0, length));
    return made;
}

// uPlot wants null where there is no value.
function clean(values: Numbers): Values {
    return values.every(Number.isFinite) ? values : Array.from(values, (v) => (Number.isFinite(v) ? v : null));
}

// A little air on both sides; a line that is constant lies in the middle.
function spread(_u: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
    if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [-1, 1];
    const size = Math.max(Math.abs(min), Math.abs(max));
    // Below the resolution of the numbers themselves there is nothing to see.
    if (max - min <= 1e-15 * size) return size === 0 ? [-1, 1] : [min - 0.1 * size, max + 0.1 * size];
    const air = 0.06 * (max - min);
    return [min - air, max + air];
}

function bounded(axis: Axis): boolean {
    return axis.from !== null || axis.to !== null;
}

// Up to the ends that the model gives.
function within(axis: Axis, find: (u: uPlot, min: number | null, max: number | null) => uPlot.Range.MinMax) {
    return (u: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax => {
        const [low, high] = find(u, min, max) as [number, number];
        return [axis.from ?? Math.min(low, axis.to ?? low), axis.to ?? Math.max(high, axis.from ?? high)];
    };
}

// Whole decades.
function decades(_u: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
    if (min === null || max === null || !(min > 0)) return [0.1, 10];
    const [low, high] = [Math.floor(Math.log10(min)), Math.ceil(Math.log10(max))];
    return [10 ** low, 10 ** Math.max(high, low + 1)];
}

// A curve that goes back and forth: straight lines between samples, those left out that fall on the same pixel.
function paths(series: number, dash: number[]): uPlot.Series.PathBuilder {
    return (u, k) => {
        const [xs, ys] = u.data[k] as unknown as [Values, Values];
        const n = xs.length;
        const points = new Float64Array(2 * n);
        for (let i = 0; i < n; i++) {
            const [x, y] = [xs[i], ys[i]];
            points[2 * i] = x === null ? NaN : u.valToPos(x, "x", true);
            points[2 * i + 1] = y === null ? NaN : u.valToPos(y, "y", true);
        }
        const { ctx, bbox } = u;
        ctx.save();
        ctx.beginPath();
        ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
        ctx.clip();
        ctx.beginPath();
        drawPath(ctx, points);
        ctx.strokeStyle = tone(series);
        ctx.lineWidth = 1.75 * devicePixelRatio;
        ctx.lineJoin = "round";
        ctx.setLineDash(dash.map((d) => d * devicePixelRatio));
        ctx.stroke();
        ctx.restore();
        return null;
    };
}

// The page as a whole: its parts, and how a run gets into them. One clock, one loop of frames.
import { Chart } from "./chart";
import { Clock } from "./clock";
import { isAwaited, readRun, type Run } from "./data";
import { PageEngine, questionOf } from "./engine";
import { ICONS, button, h } from "./dom";
import { Hands } from "./hands";
import { helpDialog, listenToKeys } from "./keys";
import { equations } from "./equations";
import { modelText } from "./model-text";
import { Picker } from "./picker";
import type { Position, Work } from "./renderer";
import { Server } from "./server";
import { Sliders } from "./sliders";
import { Stage } from "./stage";
import { constraints, expectations, facts, finals, parameters, verdict } from "./summary";
import { onTheme, startTheme, toggleTheme } from "./theme";
import { Transport } from "./transport";
import { onAddress, readValues } from "./values";

const FRAMES = 600; // of which the times are kept
const PAUSE = 40; // milliseconds between a slider's movement and the question that a server is asked
const SLOW = 250; // milliseconds after which it is told that a run goes on
const STOPPED = "trammel view has stopped";
const SETTLED = 800; // milliseconds without a question, after which what is shown becomes the ghost of what follows

export class Page {
    readonly clock = new Clock();
    readonly frames: number[] = []; // milliseconds from one frame to the next while playing
    private readonly stage = new Stage(this.clock, () => this.redraw());
    private readonly transport = new Transport(this.clock);
    readonly hands = new Hands(this.stage, this.transport, this.clock, (shown) => this.shown(shown));
    private charts: Chart[] = [];
    private readonly anyChart = this.chart();
    private readonly picker = new Picker(this.anyChart);
    private readonly server = new Server();
    private readonly sliders = new Sliders(() => this.ask(this.engine ? 0 : PAUSE));
    private engine: PageEngine | null = null; // of a page that is a file
    private origin: Run = readRun(null); // what the engine runs, with other values
    private run: Run = readRun(null);
    private ghost: Run | null = null;
    private asked = 0; // when
    private tell: ((messages: string) => void) | null = null; // of a playground: what a run says goes to the editor
    private scheduled = false;
    private last = 0;
    private waiting = 0;
    private equationsOf = ""; // what is shown: number of coordinates and model text

    private readonly title = h("h1", { dir: "auto" });
    private readonly file = h("p", { class: "file", dir: "auto" });
    private readonly verdict = h("p", { class: "verdict" });
    private readonly status = h("p", { class: "status", role: "status" });
    private readonly strip = h("div", { class: "strip" });
    private readonly notices = h("div", { class: "notices" });
    private readonly plots = h("div", { class: "plots" });
    private readonly bench = h("div", { class: "bench" });
    private readonly equations = h("section", { class: "block equations-block" });
    private readonly results = h("div", { class: "results" });
    private readonly text = h("section", { class: "block model-block" });

    constructor(root: HTMLElement) {
        startTheme();
        const help = helpDialog();
        const left = h("div", { class: "left" }, this.stage.element, this.transport.element, this.hands.element, this.sliders.element);
        const right = h("div", { class: "right" }, this.plots, h("div", { class: "any" }, this.anyChart.element, this.picker.element));
        this.bench.append(left, right);
        root.append(
            h("header", {},
                h("div", { class: "head" }, this.title, this.file),
                h("div", { class: "head-side" }, this.status, this.verdict,
                    button("Keys and gestures", ICONS.help, () => help.showModal(), "?"),
                    button("Dark or light", ICONS.theme, toggleTheme))),
            this.strip, this.notices,
            h("main", {}, this.bench,
                h("div", { class: "reading" }, this.results, h("div", { class: "source" }, this.equations, this.text))),
            h("footer", {}, "Computed with Trammel. This page needs no network."),
            help);
        this.sliders.element.hidden = true;
        this.clock.onChange(() => this.redraw());
        onTheme(() => this.repaint());
        this.keys(help);
        // Canvases measure and draw text at once; the page's own font may come a moment later.
        void Promise.all(["12px 'Source Sans 3'", "italic 14px 'Source Serif 4'"].map((font) => document.fonts.load(font)))
            .then(() => this.repaint());
    }

    // --- data ---------------------------------------------------------------------------------------------------------------

    start(data: unknown): void {
        const served = location.protocol.startsWith("http");
        if (data === null && !served) {
            this.notices.append(h("p", { class: "notice" }, "No run in this page: trammel report FILE puts one in."));
            return;
        }
        const run = readRun(data ?? { served });
        if (isAwaited(run))
            void this.await(run);
        else
            void this.begin(run).then(() => this.play());
        if (!run.served) return;
        this.server.listen(() => this.ask(0), (alive) => {
            if (!alive) this.status.textContent = STOPPED;
            else if (this.status.textContent === STOPPED) this.status.textContent = ""; // else a run goes on
        });
    }

    // Other values came with the address.
    private heed(): void {
        onAddress(() => {
            this.sliders.give(readValues(location.hash));
            if (this.live) this.ask(0);
        });
    }

    // What is known of the model is shown until its first run is there, unless that comes at once.
    private async await(known: Run): Promise<void> {
        this.name(known);
        this.run = known;
        const slow = window.setTimeout(() => this.load(known), SLOW);
        await this.answer();
        clearTimeout(slow);
        this.play();
        this.heed();
    }

    private play(): void {
        if (!matchMedia("(prefers-reduced-motion: reduce)").matches && this.stage.visible) this.clock.play();
    }

    // A page that holds the model without its run has the engine run it first.
    private async begin(run: Run): Promise<void> {
        const bare = run.times.length === 0 && run.error === "" && !run.served;
        this.origin = run;
        if (!run.served && run.text !== "") this.engine = PageEngine.find();
        this.sliders.element.addEventListener("pointerenter", () => this.engine?.warm());
        this.sliders.element.addEventListener("focusin", () => this.engine?.warm());
        this.load(run);
        this.heed();
        if (bare && this.engine) await this.answer();
        else if (bare) this.notices.append(h("p", { class: "notice bad" }, "This page runs its model itself, for which this browser is too old: it has no WebAssembly or no DecompressionStream."));
        else if (this.live && this.sliders.values.size > 0) this.ask(0);
    }

    // Of a playground: the engine, and where messages go; what is to be run; another model; a run.
    use(engine: PageEngine | null, tell: (messages: string) => void): void {
        this.engine = engine;
        this.tell = tell;
    }

    stem(run: Run): void { this.origin = run; }

    // Of a sweep: the engine and the model, and who is told that a slider was moved.
    carry(engine: PageEngine, run: Run, moved: () => void): void {
        this.engine = engine;
        this.origin = run;
        this.sliders.element.addEventListener("input", moved);
    }

    // A case of it.
    show(values: ReadonlyMap<string, string>): Promise<void> {
        this.sliders.give(values);
        this.ghost = null;
        return this.answer();
    }

    forget(values: ReadonlyMap<string, string> = new Map()): void {
        this.sliders.forget();
        this.sliders.give(values);
        this.ghost = null;
        this.asked = 0;
        this.run = readRun(null);
    }

    again(): Promise<void> {
        clearTimeout(this.waiting);
        this.ghost = this.run.times.length > 0 ? this.run : null;
        return this.answer();
    }

    // Whether it can be run with other values.
    private get live(): boolean { return this.run.served || this.engine !== null; }

    private ask(delay: number): void {
        const now = performance.now();
        if (now - this.asked > SETTLED) this.ghost = this.run.times.length > 0 ? this.run : null;
        this.asked = now;
        clearTimeout(this.waiting);
        this.waiting = window.setTimeout(() => void this.answer(), delay);
    }

    private async answer(): Promise<void> {
        const slow = window.setTimeout(() => { this.status.textContent = "running …"; }, SLOW);
        const { engine, sliders } = this;
        const run = await (engine ? engine.ask(this.origin, sliders.values, this.tell !== null) : this.server.ask(sliders.values));
        clearTimeout(slow);
        if (!run) return;
        this.status.textContent = "";
        run.served = !engine;
        const nothing = run.error !== "" && run.times.length === 0;
        for (const part of [this.bench, this.strip, this.results]) part.classList.toggle("stale", nothing);
        sliders.say("");
        this.tell?.([run.error, run.messages].filter((part) => part.trim() !== "").join("\n"));
        if (!nothing || this.run.times.length === 0) {
            this.load(run);
            return;
        }
        if (!this.tell) sliders.say([run.error, run.messages].filter((part) => part.trim() !== "").join("\n"));
        this.tellVerdict(run);
    }

    private name(run: Run): void {
        const name = run.title || run.model || "Untitled model";
        document.title = `${name} – Trammel`;
        this.title.textContent = name;
        this.file.textContent = run.model;
    }

    private load(run: Run): void {
        this.run = run;
        this.name(run);
        this.strip.replaceChildren(facts(run));
        this.notice(run);
        this.clock.load(run.times);
        this.transport.load();
        this.transport.element.hidden = run.times.length < 2;
        this.handsOn(run);
        this.bench.classList.toggle("flat", !this.stage.visible);
        this.loadCharts(run);
        this.sliders.element.hidden = !this.live;
        this.bench.classList.toggle("served", this.live);
        if (this.live) this.sliders.load(run);
        this.loadReading(run);
        this.redraw();
    }

    // Where hands are on the model they stay on it; what is drawn is theirs.
    private handsOn(run: Run): void {
        if (this.hands.active) this.hands.change(run, questionOf(run));
        else this.stage.load(run, this.ghost !== null);
        this.hands.offer(run, questionOf(run), this.stage.visible);
    }

    // The transport is of the run.
    private shown(hands: boolean): void {
        this.bench.classList.toggle("hands", hands);
        this.redraw();
    }

    private tellVerdict(run: Run): void {
        const { good, text } = verdict(run);
        this.verdict.textContent = text;
        this.verdict.className = good ? "verdict good" : "verdict bad";
    }

    // The verdict, and what the terminal would say.
    private notice(run: Run): void {
        this.tellVerdict(run);
        const said = this.tell ? [] : [run.error, run.messages].filter((part) => part.trim() !== "");
        const instant = run.error === "" && run.times.length > 0 && run.times[0] === run.times[run.times.length - 1];
        this.notices.replaceChildren(...(instant ? [h("p", { class: "notice" }, "This run has no duration: it is one instant.")] : []), ...said.map((part, i) =>
            h("pre", { class: (run.error && i === 0) || run.summary.error ? "notice bad" : "notice", role: "alert", dir: "auto" }, part.trimEnd())));
    }

    // Charts over time are zoomed together.
    private chart(): Chart {
        return new Chart(this.clock, (from, time) => {
            for (const chart of [...this.charts, this.anyChart]) if (chart !== from) chart.follow(time);
        });
    }

    private loadCharts(run: Run): void {
        if (this.charts.length !== run.plots.length) {
            this.charts = run.plots.map(() => this.chart());
            this.plots.replaceChildren(...this.charts.map((c) => c.element));
        }
        this.charts.forEach((chart, i) => chart.load(run.plots[i], this.ghost?.plots[i]));
        this.anyChart.element.parentElement!.hidden = run.columns.length === 0;
        this.picker.load(run);
    }

    private loadReading(run: Run): void {
        const parts = [expectations(run), constraints(run), this.live ? null : parameters(run), finals(run)];
        this.results.replaceChildren(...parts.filter((part) => part !== null));
        this.loadEquations(run);
        this.text.replaceChildren(h("h3", {}, "Model"), modelText(run.text));
        this.text.hidden = run.text === "";
    }

    // An answer of the server is without them where they would take longer than the run: those of the page hold, as
    // long as they are of the same model.
    private loadEquations(run: Run): void {
        const model = `${run.summary.coordinates} ${run.text}`;
        this.equations.hidden = run.equations === "" && model !== this.equationsOf;
        if (run.equations === "") return;
        this.equationsOf = model;
        this.equations.replaceChildren(...equations(run));
    }

    // --- frames -------------------------------------------------------------------------------------------------------------

    private redraw(): void {
        if (this.scheduled) return;
        this.scheduled = true;
        requestAnimationFrame((now) => this.frame(now));
    }

    private frame(now: number): void {
        this.scheduled = false;
        if (this.clock.playing) {
            if (this.last > 0) {
                this.frames.push(now - this.last);
                if (this.frames.length > FRAMES) this.frames.shift();
            }
            // After a pause of the browser the motion goes on where it was.
            this.clock.advance(this.last > 0 ? Math.min(0.25, (now - this.last) / 1000) : 0);
        }
        this.last = this.clock.playing ? now : 0;
        this.stage.draw();
        for (const chart of this.charts) chart.draw();
        this.anyChart.draw();
        this.transport.draw();
        if (this.clock.playing) this.redraw();
    }

    // Colours or layout changed; drawn at once, since a page that is printed gets no more frames.
    private repaint(): void {
        for (const chart of [...this.charts, this.anyChart]) chart.redraw();
        this.stage.redrawNow();
        this.redraw();
    }

    private keys(help: HTMLDialogElement): void {
        const { clock, stage } = this;
        const chart = (): Chart | undefined => [...this.charts, this.anyChart].find((c) => c.focused);
        listenToKeys({
            toggle: () => (this.hands.active ? this.hands.toggle() : clock.toggle()),
            step: (samples) => clock.step(samples),
            leap: (sign) => clock.step(sign * Math.max(1, Math.round(clock.last / 100))),
            home: () => { clock.pause(); clock.seek(0); },
            end: () => { clock.pause(); clock.seek(clock.last); },
            zoom: (factor) => (chart() ? chart()!.zoomBy(factor) : stage.zoomBy(factor)),
            fit: () => (chart() ? chart()!.all() : stage.fit()),
            turn: (right, up) => stage.turnBy(right, up),
            faster: (steps) => this.transport.faster(steps),
            nudge: (right, up) => this.hands.nudge(right, up),
            grab: () => this.hands.next(),
            letGo: () => this.hands.letGo(),
            onStage: () => document.activeElement?.classList.contains("stage-picture") ?? false,
        }, help);
    }

    // For tests: what is on the stage, and how it is drawn.
    positions(): Position[] { return this.stage.positions(); }
    get work(): Work { return this.stage.work; }
    pixel(at: readonly number[]): [number, number] { return this.stage.pixel(at); }
    get renderer(): string { return this.stage.kind; }
    get samples(): Run { return this.run; }
}

// The animation: the picture, what can be done to it with pointer and keys, and the switches beside it.
import { aspect } from "./aspect";
import { fit, orbit, pan, projector, zoom, type View } from "./camera";
import type { Clock, Place } from "./clock";
import type { Picture, Run } from "./data";
import { ICONS, button, h } from "./dom";
import { forceAt } from "./forces";
import { FreeBody } from "./free-body";
import type { Eye } from "./hold";
import { CanvasRenderer } from "./renderer-canvas";
import { WebglRenderer, webglContext } from "./renderer-webgl";
import { forceFactor, type Options, type Position, type Renderer, type Work } from "./renderer";
import { centre, cloud, isTelling, makeScene, tips, type Scene } from "./scene";
import { colours } from "./theme";
import { readStyle, writeStyle } from "./values";

// Who takes the pointer before the view does: a hand that is on the model.
export interface Grip {
    down(event: PointerEvent, x: number, y: number): boolean;
    move(event: PointerEvent, x: number, y: number): void;
    up(event: PointerEvent): void;
    readonly holds: boolean;
}

const FEW_FORCES = 8; // more arrows than that are shown when asked for

export class Stage {
    readonly element: HTMLElement;
    private readonly frame = h("div", {
        class: "stage-picture", tabindex: 0, role: "img", "aria-roledescription": "animation", "aria-keyshortcuts": "Space",
    });
    private readonly options: Options = { traces: true, forces: false, forceScale: 1, labels: false, lines: readStyle(location.hash) === "lines", paper: false };
    private readonly view: View = { dimension: 2, up: "y", target: [0, 0, 0], height: 1, yaw: 0, pitch: 0 };
    private readonly switches = h("div", { class: "stage-switches", role: "group", "aria-label": "What the animation shows" });
    private readonly presets = h("div", { class: "stage-presets", role: "group", "aria-label": "Point of view" });
    private renderer: Renderer | null = null;
    private scene: Scene | null = null;
    private run: Run | null = null;
    private readonly freeBody = new FreeBody();
    private readonly tip = h("div", { class: "force-tip" });
    private dragged = 0; // pixels since a button was pressed
    private width = 0;
    private height = 0;
    private follow = false; // the view goes with what moves
    private touched = false; // someone chose a view: new data keeps it
    private shape = "";
    private grip: Grip | null = null;
    private readonly pointers = new Map<number, { x: number; y: number }>();

    constructor(private clock: Clock, private readonly redraw: () => void) {
        const fitButton = button("Fit the view", ICONS.fit, () => this.fit(), "0");
        this.element = h("section", { class: "stage", "aria-label": "Animation" },
            this.frame, h("div", { class: "stage-tools" }, this.presets, fitButton), this.switches, this.freeBody.element);
        this.tip.hidden = true;
        this.frame.append(this.tip);
        this.listen();
        new ResizeObserver(() => this.measure()).observe(this.frame);
    }

    get kind(): string { return this.renderer?.kind ?? "none"; }
    positions(): Position[] { return this.renderer?.positions() ?? []; }
    get work(): Work { return this.renderer?.work ?? { calls: 0, triangles: 0 }; }
    get visible(): boolean { return this.scene !== null; }

    // A motion that goes on, in the place of a run: the same things by a clock of its own, as large as in the run.
    goOn(picture: Picture, clock: Clock, grip: Grip): void {
        if (!this.run || !this.scene) return;
        this.clock = clock;
        this.grip = grip;
        this.run = { ...this.run, ...picture };
        this.scene = makeScene(this.run, this.scene);
        this.renderer!.load(this.scene);
        this.redraw();
    }

    leave(run: Run, clock: Clock): void {
        this.clock = clock;
        this.grip = null;
        this.load(run, true);
    }

    // Samples moved on.
    moved(): void {
        this.renderer?.retrace?.();
        this.redraw();
    }

    get eye(): Eye {
        const view = this.follow && this.scene ? this.following(this.scene, this.clock.place()) : this.view;
        return { view, width: this.width, height: this.height };
    }

    get picture(): HTMLElement { return this.frame; }

    // For tests: where a point of the world is on the screen.
    pixel(at: readonly number[]): [number, number] {
        const p: [number, number, number, number] = [0, 0, 0, 0];
        this.projected()(at[0], at[1], at[2] ?? 0, p);
        const area = this.frame.getBoundingClientRect();
        return [p[0] + area.left, p[1] + area.top];
    }

    // keep: the view stays as it is, since only values are others
    load(run: Run, keep = false): void {
        const drawn = run.draws.length > 0 && run.times.length > 0;
        this.element.hidden = !drawn;
        this.scene = drawn ? makeScene(run) : null;
        this.run = run;
        if (!run.bodies.some((b) => b.name === this.freeBody.shown)) this.freeBody.show("");
        if (!this.scene) return;
        const shape = `${run.dimension}${run.up}${run.draws.map((d) => d.kind).join()}/${run.forces.length}`;
        const same = shape === this.shape;
        if (!same) {
            this.shape = shape;
            this.touched = false;
            this.options.forces = run.forces.length > 0 && run.forces.length <= FEW_FORCES;
            this.options.traces = true;
            this.follow = this.scene.travels;
            this.fillSwitches(run);
            this.fillPresets(run);
        }
        this.frame.setAttribute("aria-label", describe(run));
        this.choose(run);
        this.renderer!.load(this.scene);
        if (!this.touched && !(keep && same)) this.front();
        this.redraw();
    }

    // WebGL for scenes in space, if there is any.
    private choose(run: Run): void {
        const wanted = run.dimension === 3 ? "webgl" : "canvas";
        if (this.renderer && (this.renderer.kind === wanted || this.view.dimension === run.dimension)) {
            this.view.dimension = run.dimension;
            this.view.up = run.up;
            return;
        }
        this.view.dimension = run.dimension;
        this.view.up = run.up;
        const context = wanted === "webgl" ? webglContext(run.draws.length) : null;
        this.use(context ? new WebglRenderer(context, () => this.lost()) : new CanvasRenderer());
    }

    private use(renderer: Renderer): void {
        this.renderer?.dispose();
        this.renderer = renderer;
        this.frame.append(renderer.element);
        this.frame.dataset["renderer"] = renderer.kind;
        if (this.width > 0) renderer.resize(this.width, this.height, Math.min(2, devicePixelRatio));
    }

    // The graphics driver gave up: go on without it.
    private lost(): void {
        this.use(new CanvasRenderer());
        if (this.scene) this.renderer!.load(this.scene);
        this.redraw();
    }

    private measure(): void {
        const { clientWidth, clientHeight } = this.frame;
        if (clientWidth === 0 || clientHeight === 0) return;
        const first = this.width === 0;
        this.width = clientWidth;
        this.height = clientHeight;
        this.renderer?.resize(clientWidth, clientHeight, Math.min(2, devicePixelRatio));
        if (first || !this.touched) this.refit();
        this.redraw();
    }

    redrawNow(): void {
        this.options.paper = document.documentElement.classList.contains("printing");
        this.measure();
        this.draw();
    }

    draw(): void {
        if (!this.scene || !this.renderer || this.width === 0) return;
        const place = this.clock.place();
        this.renderer.render(place, this.follow ? this.following(this.scene, place) : this.view, this.options, colours());
        if (this.run) this.freeBody.draw(this.run, place, this.view, colours().series);
    }

    private projected(): ReturnType<typeof projector> {
        const { view, width, height } = this.eye;
        return projector(view, width, height);
    }

    // What the arrow under the pointer stands for.
    private hover(event: PointerEvent): void {
        if (!this.scene || this.pointers.size > 0) return;
        const area = this.frame.getBoundingClientRect();
        const [x, y] = [event.clientX - area.left, event.clientY - area.top];
        const found = forceAt(this.projected(), this.scene, this.clock.place(), this.options, x, y);
        this.tip.hidden = found === null;
        this.tip.textContent = found;
        this.tip.style.transform = `translate(${Math.min(x + 12, this.width - 220)}px, ${y + 12}px)`;
    }

    // A click on a part: its free-body diagram.
    private pick(event: PointerEvent): void {
        const { run, scene } = this;
        if (!run || !scene || run.bodies.length === 0) return;
        const area = this.frame.getBoundingClientRect();
        const project = this.projected();
        const place = this.clock.place();
        const p: [number, number, number, number] = [0, 0, 0, 0];
        const named = new Set(run.bodies.map((b) => b.name));
        const [a, b] = [[0, 0, 0], [0, 0, 0]];
        let [best, found] = [30, ""];
        for (const item of scene.items) {
            if (!named.has(item.label) || item.kind === "trace") continue;
            item.at.read(place, a);
            if (item.to && item.kind !== "arrow") item.to.read(place, b);
            else for (let k = 0; k < 3; k++) b[k] = a[k];
            for (let s = 0; s <= 1; s += 0.1) {
                project(a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2]), p);
                const distance = Math.hypot(p[0] - event.clientX + area.left, p[1] - event.clientY + area.top);
                if (distance < best) [best, found] = [distance, item.label];
            }
        }
        for (const body of run.bodies) { // of what the model draws itself, the centre
            const i = body.at.length > 3 ? 3 * place.i : 0;
            project(body.at[i], body.at[i + 1], body.at[i + 2], p);
            const distance = Math.hypot(p[0] - event.clientX + area.left, p[1] - event.clientY + area.top);
            if (distance < best) [best, found] = [distance, body.name];
        }
        if (found !== "") this.freeBody.show(found);
        this.redraw();
    }

    // For tests and links: the free-body diagram of a body.
    showFreeBody(name: string): void {
        this.freeBody.show(name);
        this.redraw();
    }

    private following(scene: Scene, place: Place): View {
        const c = centre(scene.items, place);
        const { target } = this.view;
        return { ...this.view, target: [target[0] + c[0], target[1] + c[1], target[2] + c[2]] };
    }

    // --- the view ---------------------------------------------------------------------------------------------------

    private refit(): void {
        if (this.scene && this.width > 0) fit(this.view, this.points(this.scene), this.width, this.height, this.view.dimension === 2 ? 0.1 : 0.09);
    }

    // What the view is to hold: everything, and the tips of the arrows.
    private points(scene: Scene): Float64Array {
        const all = cloud(scene, this.follow);
        const arrows = this.options.forces && !this.follow ? tips(scene, forceFactor(scene, { ...this.options, forceScale: 1 })) : [];
        const points = new Float64Array(all.length + arrows.length);
        points.set(all);
        points.set(arrows, all.length);
        return points;
    }

    fit(): void {
        this.touched = false;
        this.refit();
        this.redraw();
    }

    private front(): void {
        const usual = this.view.up === "z" ? 0.9 - Math.PI / 2 : 0.6;
        const { yaw, pitch } = this.scene && this.view.dimension === 3 ? aspect(cloud(this.scene, this.follow, isTelling), this.view.up, usual) : { yaw: usual, pitch: 0.32 };
        this.look(yaw, pitch);
    }

    private look(yaw: number, pitch: number): void {
        this.view.yaw = yaw;
        this.view.pitch = pitch;
        this.fit();
    }

    zoomBy(factor: number, x = this.width / 2, y = this.height / 2): void {
        this.touched = true;
        const { extent, scale } = this.scene ?? { extent: 1, scale: 1 };
        const height = Math.min(30 * extent, Math.max(1e-3 * scale, this.view.height / factor)); // within reason
        zoom(this.view, this.view.height / height, x, y, this.width, this.height);
        this.redraw();
    }

    turnBy(turn: number, tilt: number): void {
        this.touched = true;
        if (this.view.dimension === 3) orbit(this.view, turn, tilt);
        else pan(this.view, -turn * 200, -tilt * 200, this.height);
        this.redraw();
    }

    private fillPresets(run: Run): void {
        this.presets.replaceChildren();
        if (run.dimension !== 3) return;
        const z = run.up === "z";
        const add = (name: string, yaw: number, pitch: number): void =>
            this.presets.append(h("button", { type: "button", class: "small", click: () => this.look(yaw, pitch) }, name));
        add("Front", z ? -Math.PI / 2 : 0, 0);
        add("Side", z ? 0 : Math.PI / 2, 0);
        add("Top", z ? -Math.PI / 2 : 0, 1.56);
        this.presets.append(h("button", { type: "button", class: "small", click: () => this.front() }, "Oblique"));
    }

    private fillSwitches(run: Run): void {
        const { options } = this;
        this.switches.replaceChildren();
        const add = (name: string, key: "traces" | "forces" | "labels" | "lines"): void => {
            const box = h("input", { type: "checkbox", change: () => { options[key] = box.checked; if (key === "lines") writeStyle(box.checked ? "lines" : ""); this.redraw(); } });
            box.checked = options[key];
            this.switches.append(h("label", { class: "switch" }, box, name));
        };
        if (run.draws.some((d) => d.kind === "trace")) add("Traces", "traces");
        if (run.draws.some((d) => d.label !== "" && d.kind !== "trace" && d.kind !== "text")) add("Names", "labels");
        if (this.scene?.far) {
            const box = h("input", { type: "checkbox", change: () => { this.follow = box.checked; this.fit(); } });
            box.checked = this.follow;
            this.switches.append(h("label", { class: "switch" }, box, "Follow"));
        }
        add("Line drawing", "lines");
        if (run.forces.length > 0) {
            add("Constraint forces", "forces");
            const scale = h("input", {
                type: "range", min: -1.5, max: 1.5, step: 0.05, value: Math.log10(options.forceScale), "aria-label": "Length of the force arrows",
                input: () => { options.forceScale = 10 ** Number(scale.value); this.redraw(); },
            });
            this.switches.append(h("span", { class: "switch", title: "Length of the force arrows" }, scale));
        }
    }

    // --- pointers: drag turns (or shifts, in the plane), two fingers or the right button shift, the wheel zooms ---------

    private listen(): void {
        const { frame, pointers } = this;
        const inFrame = (event: PointerEvent): [number, number] => {
            const area = frame.getBoundingClientRect();
            return [event.clientX - area.left, event.clientY - area.top];
        };
        frame.addEventListener("pointerdown", (event) => {
            frame.setPointerCapture(event.pointerId);
            if (pointers.size === 0 && this.grip?.down(event, ...inFrame(event))) {
                this.tip.hidden = true;
                return;
            }
            pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
            this.dragged = 0;
            this.tip.hidden = true;
        });
        const release = (event: PointerEvent): boolean => pointers.delete(event.pointerId);
        frame.addEventListener("pointerup", (event) => {
            if (this.grip?.holds) this.grip.up(event);
            else if (this.dragged < 5 && event.button === 0) this.pick(event);
            release(event);
        });
        frame.addEventListener("pointerleave", () => { this.tip.hidden = true; });
        frame.addEventListener("pointercancel", (event) => {
            this.grip?.up(event);
            release(event);
        });
        frame.addEventListener("pointermove", (event) => {
            if (this.grip?.holds) {
                this.grip.move(event, ...inFrame(event));
                return;
            }
            this.drag(event);
            this.hover(event);
        });
        frame.addEventListener("contextmenu", (event) => event.preventDefault());
        frame.addEventListener("dblclick", () => this.fit());
        frame.addEventListener("wheel", (event) => {
            // The page scrolls on unless the picture is in use: focused, or with Ctrl, which a pinch sends too.
            if (!event.ctrlKey && document.activeElement !== frame) return;
            event.preventDefault();
            const area = frame.getBoundingClientRect();
            this.zoomBy(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX - area.left, event.clientY - area.top);
        }, { passive: false });
    }

    private drag(event: PointerEvent): void {
        const from = this.pointers.get(event.pointerId);
        if (!from) return;
        const dx = event.clientX - from.x;
        const dy = event.clientY - from.y;
        const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
        this.dragged += Math.hypot(dx, dy);
        if (this.dragged < 5) return;
        this.touched = true;
        if (others.length > 0) {
            const o = others[0];
            const area = this.frame.getBoundingClientRect();
            const before = Math.hypot(from.x - o.x, from.y - o.y);
            const after = Math.hypot(event.clientX - o.x, event.clientY - o.y);
            pan(this.view, dx / 2, dy / 2, this.height);
            if (before > 10) this.zoomBy(after / before, (from.x + o.x) / 2 - area.left, (from.y + o.y) / 2 - area.top);
        } else if (this.view.dimension === 2 || event.shiftKey || event.buttons > 1) {
            pan(this.view, dx, dy, this.height);
        } else {
            orbit(this.view, dx * 0.008, dy * 0.008);
        }
        from.x = event.clientX;
        from.y = event.clientY;
        this.redraw();
    }
}

function describe(run: Run): string {
    const counts = new Map<string, number>();
    for (const draw of run.draws) counts.set(draw.kind, (counts.get(draw.kind) ?? 0) + 1);
    const parts = [...counts].map(([kind, n]) => `${n} ${kind}${n === 1 ? "" : kind === "box" ? "es" : "s"}`);
    const space = run.dimension === 3 ? "in space" : "in the plane";
    return `Animation of ${run.title || run.model || "the model"} ${space}: ${parts.join(", ")}`;
}

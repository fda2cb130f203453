// Hands on: in the place of the run that was recorded, the engine goes on from frame to frame, and whoever looks on may take a
// part of the model and pull. While it runs, a damped spring leads from the hand to the part; where time stands, the part is led
// there, as far as the constraints allow.
import "./hands.css";
import { Clock, goodSpeed } from "./clock";
import type { Numbers, Run } from "./data";
import { ICONS, button, h, icon } from "./dom";
import { number } from "./format";
import { heldAt, heldNumber, worldAt, type Held } from "./hold";
import { projector, type Vector } from "./camera";
import { LiveEngine } from "./live-engine";
import type { Frame, LiveSaid } from "./live-runner";
import { LivePicture, WINDOW } from "./live-tracks";
import type { Question } from "./runner";
import type { Grip, Stage } from "./stage";
import type { Transport } from "./transport";

const LONGEST = 0.05; // seconds of a frame: what is slower than that is shown slower
const FOLLOWS = 0.5; // seconds in which a light thing follows the hand
const NUDGE = 0.03; // of the picture's height, for a key
const STOPPED = 1; // status: a 'stop when' ended the motion
const SPEEDS: readonly [number, string][] = [[0.05, "× 1/20"], [0.1, "× 1/10"], [0.25, "× 1/4"], [0.5, "× 1/2"], [1, "× 1"], [2, "× 2"]];
const TOLERANCE = "1e-6"; // what is looked at need not be more exact

export class Hands implements Grip {
    readonly element = h("div", { class: "hands", role: "group", "aria-label": "Hands on" });
    active = false;
    frames = 0; // since it began, for tests
    numbers: Numbers = new Float64Array(9); // as src/api/live.h has them
    private readonly clock = new Clock();
    private engine = new LiveEngine();
    private live: LivePicture | null = null;
    private playing = true;
    private over = false; // it came to an end
    private largest = 0; // energy so far, beside which less is rounding
    private began = 0; // a number of its own for each beginning
    private question: Question | null = null;
    private run: Run | null = null;
    private speed = 1;
    private held: Held | null = null;
    private aim: Vector | null = null;
    private wish: Frame["hold"]; // not yet told
    private steps = 0; // asked for, at rest
    private pointer = -1;
    private readonly enter = h("button", { type: "button", class: "small hands-enter", title: "Take a part and pull", click: () => this.begin() }, "Hands on");
    private readonly play = button("Pause", ICONS.pause, () => this.toggle(), "space");
    private readonly pace = h("select", { "aria-label": "Speed" }, ...SPEEDS.map(([value, name]) => h("option", { value }, name)));
    private readonly readout = h("output", { class: "hands-readout" });
    private readonly told = h("div", { class: "hands-told", role: "status" });
    private readonly string = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    private readonly line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    private readonly knob = document.createElementNS("http://www.w3.org/2000/svg", "circle");

    constructor(private readonly stage: Stage, transport: Transport, private readonly main: Clock, private readonly shown: (on: boolean) => void) {
        this.play.classList.add("primary");
        this.pace.value = "1";
        this.element.append(
            h("div", { class: "hands-bar" }, this.play,
                h("button", { type: "button", class: "small", title: "One frame on", click: () => this.step() }, "Step"),
                h("button", { type: "button", class: "small", click: () => void this.start(false) }, "Begin again"),
                this.pace, this.readout,
                h("button", { type: "button", class: "small", click: () => this.end() }, "Back to the run")),
            this.told);
        this.element.hidden = this.enter.hidden = true;
        transport.element.append(this.enter);
        this.string.setAttribute("class", "hands-string");
        this.string.style.display = "none"; // until something is held
        this.string.append(this.line, this.knob);
        this.string.style.display = "none"; // until something is held
        this.knob.setAttribute("r", "6");
        stage.picture.append(this.string);
        this.drawString();
    }

    // There is this run of this model: whether hands can be laid on it.
    offer(run: Run, question: Question, drawn: boolean): void {
        this.run = run;
        this.question = { ...question, options: [...question.options.filter(([name]) => name !== "tolerance" && name !== "csv"), ["tolerance", TOLERANCE]] };
        this.enter.hidden = !(LiveEngine.able() && drawn && run.text !== "");
    }

    // Other values of parameters: it goes on with these where it is.
    change(run: Run, question: Question): void {
        this.offer(run, question, true);
        void this.start(true);
    }

    begin(): void {
        if (this.active || !this.question) return;
        this.active = true;
        this.main.pause();
        this.element.hidden = false;
        this.shown(true);
        void this.start(false);
    }

    end(): void {
        if (!this.active) return;
        this.active = false;
        this.began++;
        this.engine.end();
        this.engine = new LiveEngine();
        this.element.hidden = true;
        this.live = null;
        this.drop();
        if (this.run) this.stage.leave(this.run, this.main);
        this.shown(false);
        this.enter.focus();
    }

    private async start(goOn: boolean): Promise<void> {
        const mine = ++this.began;
        this.drop();
        this.over = false;
        if (!goOn) {
            this.setPlaying(true);
            this.largest = 0;
            this.say("The engine reads the model …");
        }
        const said = await this.engine.ask({ begin: this.question!, goOn });
        if (mine !== this.began) return;
        if (said.status !== 0) {
            this.fail(said);
            return;
        }
        this.live = new LivePicture(said.picture);
        this.clock.load(this.live.picture.times);
        this.clock.seek(WINDOW - 1);
        this.speed = this.run && this.run.times.length > 1 ? goodSpeed(this.run.times[this.run.times.length - 1] - this.run.times[0]) : 1;
        this.stage.goOn(this.live.picture, this.clock, this);
        this.take(said);
        this.say("Take a part and pull. Where time stands, a part is led within its constraints.");
        this.frames = 0;
        void this.loop(mine);
    }

    private async loop(mine: number): Promise<void> {
        let last = performance.now();
        while (this.active && mine === this.began) {
            const now = await new Promise<number>(requestAnimationFrame);
            const passed = Math.min(LONGEST, Math.max(0, (now - last) / 1000));
            last = now;
            const frame = this.frameNow(passed);
            if (!frame) continue;
            const said = await this.engine.ask({ frame });
            if (mine !== this.began) return;
            this.take(said);
            if (said.status !== 0) {
                this.fail(said);
                return;
            }
            if (frame.hold && !said.held) this.refuse();
        }
    }

    // What is to be done now; null: nothing.
    private frameNow(passed: number): Frame | null {
        const step = !this.playing && this.steps > 0 ? 1 / 60 : 0;
        if (step > 0) this.steps--;
        const dt = (this.playing ? passed : step) * this.speed * Number(this.pace.value);
        const lead = dt === 0 && this.aim !== null;
        if (dt === 0 && !lead && this.wish === undefined) return null;
        const frame: Frame = { dt, aim: this.aim, lead, time: FOLLOWS * this.speed };
        if (this.wish !== undefined) frame.hold = this.wish;
        this.wish = undefined;
        if (lead) this.aim = null; // once
        return frame;
    }

    private take(said: LiveSaid): void {
        if (!this.live || said.tracks.length === 0) return;
        this.numbers = said.numbers;
        this.live.push(said.numbers[0], said.tracks);
        this.frames++;
        this.largest = Math.max(this.largest, Math.abs(said.numbers[1]));
        const energy = Math.abs(said.numbers[1]) > 1e-6 * this.largest ? said.numbers[1] : 0;
        this.readout.textContent = `t = ${number(said.numbers[0], 4)}   energy ${number(energy, 4)}`;
        this.drawString();
        this.stage.moved();
    }

    private say(text: string): void {
        this.told.replaceChildren(text);
    }

    private fail(said: LiveSaid): void {
        this.drop();
        this.setPlaying(false);
        this.over = true;
        const why = said.status === STOPPED ? "The motion ends here: a 'stop when' of the model holds." : said.messages.trimEnd();
        this.told.replaceChildren(h("pre", { class: said.status === STOPPED ? "notice" : "notice bad", dir: "auto" }, why || "It came to no result."));
    }

    private refuse(): void {
        this.drop();
        this.say("That does not move: it is fixed, or driven.");
    }

    toggle(): void {
        if (this.over) void this.start(false);
        else this.setPlaying(!this.playing);
    }

    private setPlaying(on: boolean): void {
        this.playing = on;
        const name = on ? "Pause" : "Play";
        this.play.setAttribute("aria-label", name);
        this.play.title = `${name} (space)`;
        this.play.replaceChildren(icon(on ? ICONS.pause : ICONS.play));
        if (on && this.held) this.aim = [...this.held.at];
    }

    private step(): void {
        this.setPlaying(false);
        this.steps++;
    }

    // --- the hand -----------------------------------------------------------------------------------------------------------

    get holds(): boolean { return this.pointer >= 0; }

    down(event: PointerEvent, x: number, y: number): boolean {
        if (!this.live || event.button !== 0 || event.shiftKey) return false;
        const found = heldAt(this.live.picture, this.stage.eye, x, y, event.pointerType === "touch");
        if (!found) return false;
        this.pointer = event.pointerId;
        this.hold(found);
        return true;
    }

    move(event: PointerEvent, x: number, y: number): void {
        if (event.pointerId !== this.pointer || !this.held) return;
        this.reach(worldAt(this.stage.eye, x, y, this.held.at));
    }

    up(event: PointerEvent): void {
        if (event.pointerId === this.pointer) this.letGo();
    }

    private hold(found: Held): void {
        this.held = { ...found, at: [...found.at] };
        this.wish = found.hold;
        this.aim = this.playing ? [...found.at] : null;
        this.drawString();
    }

    private reach(to: Vector): void {
        this.held!.at = to;
        this.aim = [...to];
        this.drawString();
    }

    private chosen = -1;

    // By keys: the next part.
    next(): boolean {
        if (!this.live) return false;
        const found = heldNumber(this.live.picture, ++this.chosen);
        if (found) this.hold(found);
        return found !== null;
    }

    nudge(right: number, up: number): boolean {
        if (!this.held || !this.active) return false;
        const { eye } = this.stage;
        const p: [number, number, number, number] = [0, 0, 0, 0];
        projector(eye.view, eye.width, eye.height)(...this.held.at, p);
        this.reach(worldAt(eye, p[0] + right * NUDGE * eye.height, p[1] - up * NUDGE * eye.height, this.held.at));
        return true;
    }

    letGo(): boolean {
        if (!this.held) return false;
        this.drop();
        this.wish = null;
        return true;
    }

    private drop(): void {
        this.pointer = -1;
        this.held = this.aim = null;
        this.wish = undefined;
        this.drawString();
    }

    // The string from the hand to what it holds.
    private drawString(): void {
        this.string.style.display = this.held ? "" : "none";
        if (!this.held) return;
        const { eye } = this.stage;
        const project = projector(eye.view, eye.width, eye.height);
        const [p, q]: [number, number, number, number][] = [[0, 0, 0, 0], [0, 0, 0, 0]];
        project(...this.held.at, p);
        const [x, y, z] = this.numbers.subarray(3, 6);
        project(x, y, z, q);
        for (const [name, value] of [["x1", q[0]], ["y1", q[1]], ["x2", p[0]], ["y2", p[1]]] as const) this.line.setAttribute(name, String(value));
        this.knob.setAttribute("cx", String(p[0]));
        this.knob.setAttribute("cy", String(p[1]));
    }
}

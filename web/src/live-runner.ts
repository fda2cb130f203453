// A motion that goes on, in the worker: begun with a model, and then taken from frame to frame with a hand at a point of it.
import { Broken, INTERRUPTED, makeEngine, type Engine, type LiveState } from "../../wasm/engine.mjs";
import type { Question } from "./runner";

// What of the picture is held, as src/api/live.h numbers it.
export interface Hold { what: number; i: number; part: number; offset: [number, number, number] }

// `hold` begins to hold, null lets go; `aim` is where the hand is. At `dt` 0 what is held is led there.
export interface Frame { dt: number; hold?: Hold | null; time?: number; aim?: [number, number, number] | null; lead?: boolean }
export type LiveAsk = { begin: Question; goOn: boolean } | { frame: Frame };

// numbers: see src/api/live.h
export interface LiveSaid { status: number; messages: string; picture: string; tracks: Float32Array; numbers: Float64Array; held: boolean; took: number }

const FRAME_LIMIT = 1; // seconds, after which one is given up

const FAILED = "error: the engine of this page broke off: ";
const nothing = { picture: "", tracks: new Float32Array(0), numbers: new Float64Array(9), held: false, took: 0 };

export class LiveRunner {
    private engine: Engine | null = null;
    private held = false;

    constructor(private readonly module: WebAssembly.Module) {}

    async answer(ask: LiveAsk): Promise<LiveSaid> {
        const start = performance.now();
        try {
            this.engine ??= await makeEngine(this.module);
            const said = "begin" in ask ? this.begin(this.engine, ask.begin, ask.goOn) : this.frame(this.engine, ask.frame);
            return { ...said, took: performance.now() - start };
        } catch (failure) {
            if (!(failure instanceof Broken)) throw failure;
            this.engine = null;
            return { ...nothing, status: -1, messages: `${FAILED}${failure.message}\n` };
        }
    }

    private begin(engine: Engine, q: Question, goOn: boolean): LiveSaid {
        const from: LiveState | null = goOn && engine.text("live_picture") !== "" ? engine.liveState() : null;
        engine.options(q.options);
        engine.call("set_limit", q.limit);
        this.held = false;
        let status = engine.read(q.name, q.text, q.settings, q.files);
        if (status === 0 && from && from.q.length === engine.call("coordinates")) {
            status = engine.live(from);
            if (status !== 0) status = engine.read(q.name, q.text, q.settings, q.files) || engine.live();
        } else if (status === 0) {
            status = engine.live();
        }
        return { ...this.told(engine, status), picture: status === 0 ? engine.text("live_picture") : "" };
    }

    private frame(engine: Engine, f: Frame): LiveSaid {
        engine.call("set_limit", FRAME_LIMIT);
        if (f.hold === null) engine.call("live_let_go");
        if (f.hold === null) this.held = false;
        if (f.hold) {
            const { what, i, part, offset } = f.hold;
            this.held = engine.call("live_hold", what, i, part, ...offset, f.time ?? 1) === 1;
        }
        let status = 0;
        if (f.aim && this.held && f.lead) status = engine.call("live_lead", ...f.aim);
        else if (f.aim && this.held) engine.call("live_aim", ...f.aim);
        if (f.dt > 0) status = engine.call("live_advance", engine.liveNumbers()[0] + f.dt);
        return this.told(engine, status);
    }

    private told(engine: Engine, status: number): LiveSaid {
        const messages = status === 0 ? "" : engine.text("messages");
        const slow = status === INTERRUPTED ? `error: it takes longer than ${FRAME_LIMIT} s for one frame, and was given up\n` : "";
        return { ...nothing, status, messages: slow || messages, tracks: engine.liveTracks(), numbers: engine.liveNumbers(), held: this.held };
    }
}

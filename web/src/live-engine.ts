// A worker of its own for the motion that goes on: one question at a time; one that never comes to an end is ended.
import { packedEngine } from "./engine";
import type { LiveAsk, LiveSaid } from "./live-runner";
import type { Said, Told } from "./worker";
import EngineWorker from "./worker?worker&inline";

const GIVEN_UP = 15000; // milliseconds for reading a model or for a frame

export class LiveEngine {
    private worker: Worker | null = null;
    private answer: ((said: LiveSaid) => void) | null = null;

    static able(): boolean { return packedEngine() !== "" && typeof Worker === "function"; }

    private last: Promise<unknown> = Promise.resolve();

    ask(what: LiveAsk): Promise<LiveSaid> {
        const mine = this.last.then(() => this.put(what));
        this.last = mine;
        return mine;
    }

    private put(what: LiveAsk): Promise<LiveSaid> {
        return new Promise((answer) => {
            const timer = window.setTimeout(() => this.fail("it takes too long"), GIVEN_UP);
            this.answer = (said) => {
                clearTimeout(timer);
                this.answer = null;
                answer(said);
            };
            if (!this.worker && !this.start()) return;
            this.tell({ live: what });
        });
    }

    end(): void {
        this.worker?.terminate();
        this.worker = null;
        this.answer = null;
    }

    private start(): boolean {
        try {
            this.worker = new EngineWorker();
        } catch (refused) {
            this.fail(String(refused));
            return false;
        }
        this.worker.addEventListener("message", (event: MessageEvent<Said>) => this.hear(event.data));
        this.worker.addEventListener("error", (event) => this.fail(event.message || "it cannot be started"));
        this.tell({ packed: packedEngine() });
        return true;
    }

    private tell(what: Told): void {
        this.worker!.postMessage(what);
    }

    private hear(said: Said): void {
        if ("live" in said) this.answer?.(said.live);
        else if ("broken" in said) this.fail(said.broken);
    }

    private fail(why: string): void {
        const { answer } = this;
        this.end();
        answer?.({
            status: -1, messages: `error: the engine of this page broke off: ${why}\n`, picture: "", tracks: new Float32Array(0),
            numbers: new Float64Array(9), held: false, took: 0,
        });
    }
}

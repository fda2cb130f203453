// The engine that a page carries, with the interface of the server of `trammel view`: the answer to the newest question.
import type { Setting } from "../../wasm/engine.mjs";
import type { Run } from "./data";
import { failed, Runner, unpack, type Question } from "./runner";
import type { Said, Told } from "./worker";
import EngineWorker from "./worker?worker&inline";

const LIMIT = 10; // seconds of a run
const OVERTAKEN = 300; // milliseconds after which a run gives way to a newer one
const GRACE = 2000; // milliseconds in which what is too long must end by itself
const LIMIT_WITHOUT_WORKER = 1; // while the page stands still

interface Asking { question: Question; answer: (run: Run | null) => void; since: number }

// The engine as it stands in the page; "": there is none, or this browser cannot run it.
export function packedEngine(): string {
    const able = typeof WebAssembly === "object" && typeof DecompressionStream === "function";
    return (able && document.getElementById("engine")?.textContent) || "";
}

export function questionOf(run: Run, values: ReadonlyMap<string, string> = new Map(), equations = false): Question {
    const given = run.settings.filter(([name]) => !values.has(name));
    return {
        name: run.model || "model.tram", text: run.text, files: run.files, options: run.options, limit: LIMIT, equations,
        settings: [...given, ...[...values].map(([name, value]): Setting => [name, value])],
    };
}

export class PageEngine {
    private worker: Worker | null = null;
    private module: WebAssembly.Module | null = null;
    private alone: Runner | null = null; // in the page, where it gets no worker
    private asked: Asking | null = null; // what is being run
    private next: Asking | null = null; // the newest
    private timer = 0;

    private constructor(private readonly packed: string) {}

    // null: there is none, or this browser cannot run it.
    static find(): PageEngine | null {
        const packed = packedEngine();
        return packed !== "" ? new PageEngine(packed) : null;
    }

    // Gets ready, so that the first question need not wait for that.
    warm(): void {
        if (!this.worker && !this.alone) this.start();
    }

    ask(run: Run, values: ReadonlyMap<string, string>, equations = false): Promise<Run | null> {
        return this.put(questionOf(run, values, equations));
    }

    get busy(): boolean { return this.asked !== null; }

    private put(question: Question): Promise<Run | null> {
        return new Promise((answer) => {
            this.next?.answer(null);
            this.next = { question, answer, since: performance.now() };
            this.warm();
            const running = this.asked ? performance.now() - this.asked.since : 0;
            if (!this.asked) this.go();
            else if (running > OVERTAKEN) this.overtake();
            else this.later(OVERTAKEN - running, () => this.overtake());
        });
    }

    private later(milliseconds: number, act: () => void): void {
        clearTimeout(this.timer);
        this.timer = window.setTimeout(act, milliseconds);
    }

    private start(): void {
        try {
            this.worker = new EngineWorker();
        } catch {
            this.worker = null; // the browser refuses
        }
        if (!this.worker) return;
        this.worker.addEventListener("message", (event: MessageEvent<Said>) => this.hear(event.data));
        this.worker.addEventListener("error", (event) => this.hear({ broken: event.message || "it cannot be started" }));
        this.tell(this.module ? { module: this.module } : { packed: this.packed });
    }

    private tell(what: Told): void {
        this.worker!.postMessage(what);
    }

    private go(): void {
        if (!this.next) return;
        this.asked = { ...this.next, since: performance.now() };
        this.next = null;
        if (!this.worker) {
            void this.runHere(this.asked);
            return;
        }
        this.tell({ question: this.asked.question });
        this.later(1000 * LIMIT + GRACE, () => this.giveUp());
    }

    private hear(said: Said): void {
        if ("module" in said) {
            this.module = said.module;
            return;
        }
        if ("live" in said) return; // another worker's
        if ("broken" in said) {
            this.end();
            this.finish(this.asked && failed(this.asked.question, `error: the engine of this page broke off: ${said.broken}\n`));
        } else {
            this.finish(said.run);
        }
    }

    private finish(run: Run | null): void {
        clearTimeout(this.timer);
        const { asked } = this;
        this.asked = null;
        asked?.answer(run);
        this.go();
    }

    private end(): void {
        this.worker?.terminate();
        this.worker = null;
    }

    // A newer question waits, and the older has had its time.
    private overtake(): void {
        if (!this.asked || !this.next || !this.worker || !this.module) return;
        this.end();
        this.start();
        this.finish(null);
    }

    // It did not end by itself: it reads or compiles.
    private giveUp(): void {
        if (!this.asked) return;
        this.end();
        this.start();
        this.finish(failed(this.asked.question, `error: the model takes longer than ${LIMIT} s to be read and run, and was given up\n`));
    }

    private async runHere(asking: Asking): Promise<void> {
        try {
            this.alone ??= new Runner(await unpack(this.packed));
            this.finish(await this.alone.answer({ ...asking.question, limit: LIMIT_WITHOUT_WORKER }));
        } catch (failure) {
            this.finish(failed(asking.question, `error: the engine of this page broke off: ${String(failure)}\n`));
        }
    }
}

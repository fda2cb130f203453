// The engine beside the page. It is told first what the engine is, packed or compiled, and then one question after the other.
import { LiveRunner, type LiveAsk, type LiveSaid } from "./live-runner";
import { buffersOf, Runner, unpack, type Question } from "./runner";

export type Told = { packed: string } | { module: WebAssembly.Module } | { question: Question } | { live: LiveAsk };
export type Said = { module: WebAssembly.Module } | { run: import("./data").Run } | { live: LiveSaid } | { broken: string };

let runner: Runner | null = null;
let live: LiveRunner | null = null;

function begin(module: WebAssembly.Module): void {
    runner = new Runner(module);
    live = new LiveRunner(module);
}

function say(what: Said, hand: Transferable[] = []): void {
    (self as unknown as { postMessage(what: Said, hand: Transferable[]): void }).postMessage(what, hand);
}

async function hear(told: Told): Promise<void> {
    if ("packed" in told) {
        const module = await unpack(told.packed);
        begin(module);
        say({ module });
    } else if ("module" in told) {
        begin(told.module);
    } else if ("live" in told) {
        const said = await live!.answer(told.live);
        say({ live: said }, [said.tracks.buffer, said.numbers.buffer].filter((b) => b.byteLength > 0));
    } else if (runner) {
        const run = await runner.answer(told.question);
        say({ run }, buffersOf(run));
    }
}

let last: Promise<void> = Promise.resolve(); // in the order in which it is told

self.addEventListener("message", (event: MessageEvent<Told>) => {
    last = last.then(() => hear(event.data)).catch((failure: unknown) => say({ broken: String(failure) }));
});

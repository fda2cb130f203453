// The engine beside the page. It is told first what the engine is, packed or compiled, and then one question after the other.
import { buffersOf, Runner, unpack, type Question } from "./runner";

export type Told = { packed: string } | { module: WebAssembly.Module } | { question: Question };
export type Said = { module: WebAssembly.Module } | { run: import("./data").Run } | { broken: string };

let runner: Runner | null = null;

function say(what: Said, hand: Transferable[] = []): void {
    (self as unknown as { postMessage(what: Said, hand: Transferable[]): void }).postMessage(what, hand);
}

async function hear(told: Told): Promise<void> {
    if ("packed" in told) {
        const module = await unpack(told.packed);
        runner = new Runner(module);
        say({ module });
    } else if ("module" in told) {
        runner = new Runner(told.module);
    } else if (runner) {
        const run = await runner.answer(told.question);
        say({ run }, buffersOf(run));
    }
}

let last: Promise<void> = Promise.resolve(); // in the order in which it is told

self.addEventListener("message", (event: MessageEvent<Told>) => {
    last = last.then(() => hear(event.data)).catch((failure: unknown) => say({ broken: String(failure) }));
});

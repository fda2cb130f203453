// Runs models with the engine: in a worker, or in the page where there are none. One question at a time.
import { Broken, INTERRUPTED, KEEP_PAGE, makeEngine, OUT_OF_MEMORY, type Engine, type Setting } from "../../wasm/engine.mjs";
import { readRun, type Run } from "./data";

// What is to be run, as the data of a page has it.
export interface Question {
    name: string;
    text: string;
    settings: readonly Setting[];
    options: readonly Setting[];
    files: Readonly<Record<string, string>>;
    limit: number; // seconds that the run may take
    equations: boolean;
}

const EQUATIONS_AT_MOST = 12; // coordinates: of more they take longer than the run

export class Runner {
    private engine: Engine | null = null;

    constructor(private readonly module: WebAssembly.Module) {}

    async answer(q: Question): Promise<Run> {
        try {
            this.engine ??= await makeEngine(this.module);
            return this.run(this.engine, q);
        } catch (failure) {
            if (!(failure instanceof Broken)) throw failure;
            this.engine = null; // the next one has all its memory
            const advice = failure.message === OUT_OF_MEMORY ? "    an engine has 1 GB here: take fewer elements or samples, or the program itself\n" : "";
            return failed(q, `error: ${failure.message}\n${advice}`);
        }
    }

    private run(engine: Engine, q: Question): Run {
        engine.options(q.options);
        engine.call("set_limit", q.limit);
        const status = engine.read(q.name, q.text, q.settings, q.files) || engine.call("run", KEEP_PAGE);
        const equations = q.equations && engine.call("coordinates") <= EQUATIONS_AT_MOST;
        const run = readRun(JSON.parse(engine.text("page", equations ? 1 : 0) || "null"));
        if (status !== INTERRUPTED) return run;
        return failed(q, `error: the run takes longer than ${q.limit} s, and was given up\n    shorten it: 'simulate until'\n`);
    }
}

export function failed(q: Pick<Question, "name" | "text">, error: string): Run {
    return readRun({ error, model: q.name, text: q.text });
}

// What is to be handed over rather than copied.
export function buffersOf(run: Run): ArrayBuffer[] {
    const all = [run.times, ...run.columns.map((c) => c.values),
        ...run.plots.flatMap((p) => [p.x.values, ...p.series.map((s) => s.values)]),
        ...run.draws.flatMap((d) => [d.at, d.to, d.turn, d.radii]),
        ...run.forces.flatMap((f) => [f.at, f.force])];
    return [...new Set(all.filter((a) => a !== null).map((a) => a.buffer as ArrayBuffer))];
}

// The engine as it stands in the page: gzip as Base64.
export async function unpack(text: string): Promise<WebAssembly.Module> {
    const raw = atob(text);
    const packed = Uint8Array.from(raw, (c) => c.charCodeAt(0));
    const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    return WebAssembly.compile(bytes);
}

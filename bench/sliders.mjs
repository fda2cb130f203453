// How often a second the engine of the page answers a slider:
//
//     node bench/sliders.mjs build-wasm/engine.wasm models/*/*.tram
//
// As in a page: each answer is the model read, run with its samples kept, and told as the data of a page without equations, in
// an instance that has run it before. The table tells the best of some answers in milliseconds of the processor's time, so that other
// work does not count, the rate that follows, and the first answer, which compiles what it needs; a model that takes longer than 10 s
// is given up, as there.
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { INTERRUPTED, KEEP_PAGE, Broken, makeEngine } from "../wasm/engine.mjs";

const ENOUGH = 30; // answers per second
const TIMES = 20, SECONDS = 2; // at most, and one in any case
const LIMIT = 10;

const module = await WebAssembly.compile(readFileSync(process.argv[2]));

function spent() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
}

function included(text, folder) {
    return Object.fromEntries([...text.matchAll(/^\s*include\s+"([^"]+)"/gm)].map(([, name]) => [name, readFileSync(`${folder}/${name}`, "utf8")]));
}

async function measure(path) {
    const engine = await makeEngine(module);
    const text = readFileSync(path, "utf8");
    const files = included(text, dirname(path));
    const times = [];
    const began = performance.now();
    engine.call("set_limit", LIMIT);
    do {
        const before = spent();
        const status = engine.read(basename(path), text, [], files) || engine.call("run", KEEP_PAGE);
        if (status === INTERRUPTED) return { said: `takes longer than ${LIMIT} s` };
        const page = engine.text("page", 0);
        times.push(spent() - before);
        if (!page.startsWith("{")) return { said: engine.text("messages") };
    } while (times.length < TIMES && performance.now() - began < 1000 * SECONDS);
    return { best: Math.min(...times), first: times[0] };
}

const rates = [];
for (const path of process.argv.slice(3)) {
    const name = path.replace(/^models\//, "").replace(/\.tram$/, "").padEnd(38);
    try {
        const { best, first, said } = await measure(path);
        if (best) rates.push(1000 / best);
        console.log(name + (best ? `${best.toFixed(1).padStart(8)} ${(1000 / best).toFixed(0).padStart(6)} ${first.toFixed(0).padStart(7)}` : `  ${said.trim().split("\n")[0]}`));
    } catch (failure) {
        if (!(failure instanceof Broken)) throw failure;
        console.log(`${name}  ${failure.message}`);
    }
}
console.log(`${rates.filter((rate) => rate >= ENOUGH).length} of ${process.argv.length - 3} at ${ENOUGH} per second or more`);

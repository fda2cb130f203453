// How often a second the engine of the page takes a model one frame further while a hand pulls at it:
//
//     node bench/hands.mjs build-wasm/engine.wasm models/*/*.tram
//
// Each model is read, held at the first thing of its picture that can move, and pulled to and fro for a while; the table tells
// frames per second (with all that a picture needs), the slowest frame in milliseconds, and how long it took to begin. As in the
// page, the tolerance is 1e-6 and a frame is a sixtieth of a second of what is shown, ten seconds of the run or as the time is.
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { makeEngine, Broken } from "../wasm/engine.mjs";

const ENOUGH = 30; // frames per second
const FRAMES = 120, SECONDS = 4; // at most
const HOLD = 0.5; // seconds in which a light thing follows

const module = await WebAssembly.compile(readFileSync(process.argv[2]));

// as web/src/clock.ts
function goodSpeed(span) {
    if (!(span > 0) || (span >= 2 && span <= 30)) return 1;
    const unit = 10 ** Math.floor(Math.log10(span / 10)), lead = span / 10 / unit;
    return unit * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}


function holdSomething(engine, picture, time) {
    for (let k = 0; k < picture.draws.length; k++)
        if (picture.draws[k].to !== undefined && engine.call("live_hold", 0, k, 1, 0, 0, 0, time)) return true;
    for (let k = 0; k < picture.draws.length; k++)
        if (engine.call("live_hold", 1, k, 0, 0, 0, 0, time)) return true;
    for (let k = 0; k < picture.bodies.length; k++)
        if (engine.call("live_hold", 2, k, 0, 0, 0, 0, time)) return true;
    return false;
}

async function measure(path) {
    const engine = await makeEngine(module);
    const text = readFileSync(path, "utf8");
    const files = Object.fromEntries([...text.matchAll(/^\s*include\s+"([^"]+)"/gm)].map(([, name]) => [name, readFileSync(`${dirname(path)}/${name}`, "utf8")]));
    engine.options([["tolerance", "1e-6"]]);
    if (engine.read(basename(path), text, [], files) !== 0) return { said: engine.text("messages") };
    const span = Number(/until\s+([0-9.e+-]+)/.exec(text)?.[1] ?? 1);
    const speed = goodSpeed(span);
    let before = performance.now();
    if (engine.live() !== 0) return { said: engine.text("messages") || engine.text("model_messages") };
    const begun = performance.now() - before;
    const picture = JSON.parse(engine.text("live_picture"));
    const held = holdSomething(engine, picture, HOLD * speed);
    const [t0, , , x, y, z] = engine.liveNumbers();
    const size = 0.1 * Math.max(0.1, Math.hypot(x, y, z));
    let worst = 0, frames = 0, spent = 0;
    engine.call("set_limit", 1);
    while (frames < FRAMES && spent < 1000 * SECONDS) {
        const phase = (2 * Math.PI * frames) / 60;
        before = performance.now();
        if (held) engine.call("live_aim", x + size * Math.cos(phase), y + size * Math.sin(phase), z);
        const status = engine.call("live_advance", t0 + ((frames + 1) * speed) / 60);
        engine.liveTracks();
        const took = performance.now() - before;
        if (status !== 0) return { frames, said: engine.text("messages") || `ended with ${status}`, begun, held };
        spent += took;
        if (frames > 20) worst = Math.max(worst, took);
        frames++;
    }
    return { rate: (1000 * frames) / spent, worst, begun, held, residual: engine.liveNumbers()[2], frames };
}

const rows = [];
for (const path of process.argv.slice(3)) {
    const name = path.replace(/^models\//, "").replace(/\.tram$/, "");
    try {
        rows.push({ name, ...(await measure(path)) });
    } catch (failure) {
        if (!(failure instanceof Broken)) throw failure;
        rows.push({ name, said: failure.message });
    }
    const r = rows.at(-1);
    const figures = r.rate ? `${r.rate.toFixed(0).padStart(7)} ${r.worst.toFixed(1).padStart(8)} ${r.begun.toFixed(0).padStart(7)}  ${r.residual.toExponential(0)}  ${r.held ? "" : "nothing that can be held"}`
        : `  ${r.said.trim().split("\n")[0]}${r.frames !== undefined ? ` (after ${r.frames} frames)` : ""}`;
    console.log(name.padEnd(38) + figures);
}
console.log(`${rows.filter((r) => r.rate >= ENOUGH && r.held).length} of ${rows.length} at ${ENOUGH} per second or more, in the hand`);

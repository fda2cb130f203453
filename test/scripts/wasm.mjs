// Runs jobs with the engine of the page, for wasm.py: node wasm.mjs ENGINE.wasm <JOBS >ANSWERS, both a line of JSON for each.
// A job is { path | name and text, files, settings, options, do, ... }; one engine for each, but for those that go on.
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { Broken, KEEP_COLUMNS, KEEP_PAGE, makeEngine } from "../../wasm/engine.mjs";

const module = await WebAssembly.compile(readFileSync(process.argv[2]));
const jobs = readFileSync(0, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));

const studies = {
    run: (engine, job) => {
        const status = engine.call("run", KEEP_COLUMNS);
        const columns = engine.columnNames();
        if (job.columns) writeFileSync(job.columns, Buffer.concat(columns.map((_, i) => Buffer.from(engine.column(i).buffer))));
        return { status, columns, samples: engine.call("samples"), json: engine.text("json"), coordinates: engine.coordinateNames() };
    },
    check: (engine) => ({ status: engine.call("check"), json: engine.text("json") }),
    linearize: (engine) => ({ status: engine.call("linearize"), json: engine.text("json") }),
    page: (engine) => ({ status: engine.call("run", KEEP_PAGE), page: engine.text("page", 1) }),
    assemble: (engine) => {
        const { status, q, v } = engine.assemble();
        return { status, q: [...q], v: [...v] };
    },
    live: (engine, job) => {
        const numbers = [];
        let status = engine.live();
        for (const [name, ...given] of job.steps) {
            if (status !== 0) break;
            const came = engine.call(name, ...given);
            if (name === "live_advance" || name === "live_lead") status = came;
            numbers.push([...engine.liveNumbers()]);
        }
        return { status, numbers };
    },
    session: (engine, job) => {
        const values = [];
        let status = engine.call("session_create");
        for (const [name, value] of job.steps) {
            if (status !== 0) break;
            status = name === "advance" ? engine.call("session_advance", value) : engine.call("session_set", name, value);
            values.push([...engine.sessionValues()]);
        }
        return { status, values, columns: engine.columnNames() };
    },
};

async function answer(job) {
    const engine = await makeEngine(module, { megabytes: job.megabytes ?? 1024 });
    engine.call("set_limit", job.limit ?? 0);
    if (!engine.options(job.options ?? [])) return { status: -1, messages: "no such option" };
    const text = job.text ?? readFileSync(job.path, "utf8");
    const read = engine.read(job.name ?? basename(job.path), text, job.settings ?? [], job.files ?? {});
    if (read !== 0) return { status: read, messages: engine.text("messages"), page: engine.text("page", 0) };
    const said = engine.text("messages"); // warnings
    const done = studies[job.do ?? "run"](engine, job);
    return { ...done, said, messages: engine.text("messages") };
}

for (const job of jobs) {
    let answered;
    try {
        answered = await answer(job);
    } catch (failure) {
        if (!(failure instanceof Broken)) throw failure;
        answered = { broken: failure.message };
    }
    process.stdout.write(JSON.stringify(answered) + "\n");
}

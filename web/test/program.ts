// The program, as the tests use it: pages, samples and servers of models. TRAMMEL names another than build/trammel.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Summary } from "../src/data";

export const root = fileURLToPath(new URL("../../", import.meta.url));
const program = process.env["TRAMMEL"] ?? join(root, "build/trammel");

// Of all that a run of the tests writes; who makes it removes it, by ending.
const folder = (process.env["TRAMMEL_SCRATCH"] ??= makeFolder());

function makeFolder(): string {
    const made = mkdtempSync(join(tmpdir(), "trammel-page-"));
    process.on("exit", () => rmSync(made, { recursive: true, force: true }));
    return made;
}

// A model of this repository, or one that writeModel wrote, and options of the program.
export type Model = readonly [file: string, ...options: string[]];

// Why nothing can be tested; null if all is there.
export function missingPage(): string | null {
    const page = readFileSync(join(root, "web/dist/page.html"), "utf8");
    const done = spawnSync(program, ["report", "models/classics/pendulum.tram", "-o", "-"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
    if (done.error) return `${program} cannot be run (${done.error.message}): build it with make, or let TRAMMEL name it`;
    if (done.status !== 0) return `${program} cannot write pages: ${done.stderr}`;
    const [before, after] = page.split("null</script>");
    if (!done.stdout.startsWith(before) || !done.stdout.endsWith(after)) return `${program} has another page than web/dist/page.html: run make`;
    return null;
}

export function writeModel(name: string, text: string): string {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
}

function run(command: string, [file, ...options]: Model, ...more: string[]): string {
    const done = spawnSync(program, [command, file, ...options, ...more], { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
    // 1: an expectation fails, as with other parameters it may; 3: some cases of a sweep have no solution
    const fine = [0, 1, ...(options.includes("--vary") ? [3] : [])];
    if (!fine.includes(done.status ?? -1)) throw new Error(`trammel ${command} ${file}: ${done.error?.message ?? done.stderr}`);
    return done.stdout;
}

// The same model need not run twice.
function once<T>(make: (model: Model) => T): (model: Model) => T {
    const made = new Map<string, T>();
    return (model) => {
        const [file, ...options] = model;
        const key = [file, readFileSync(join(isAbsolute(file) ? "" : root, file), "utf8"), ...options].join("\n");
        if (!made.has(key)) made.set(key, make(model));
        return made.get(key)!;
    };
}

let count = 0;

// The file of the page that report makes.
export const report = once((model): string => {
    const page = join(folder, `${basename(model[0], ".tram")}-${process.pid}-${count++}.html`);
    run("report", model, "-o", page);
    return page;
});

// The file of a playground that begins with the model of `trammel new`.
export function playground(): string {
    const page = join(folder, `playground-${process.pid}.html`);
    const done = spawnSync(program, ["playground", "-o", page], { cwd: root, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`trammel playground: ${done.error?.message ?? done.stderr}`);
    return page;
}

// The folder that scripts/gallery makes of these models.
export function gallery(...models: string[]): string {
    const made = join(folder, `gallery-${process.pid}-${count++}`);
    const done = spawnSync(join(root, "scripts/gallery"), [program, made, ...models], { cwd: root, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`scripts/gallery: ${done.error?.message ?? done.stderr}`);
    return made;
}

// A run of its own, by whose numbers pages are judged: the summary, and the columns of the CSV file.
export interface Simulation { summary: Summary & { title: string }; columns: Map<string, number[]> }

export const simulate = once((model): Simulation => {
    const file = join(folder, "samples.csv");
    const summary = JSON.parse(run("run", model, "--quiet", "--json", "-o", file)) as Simulation["summary"];
    const [names, ...rows] = readFileSync(file, "utf8").trimEnd().split("\n").map((line) => line.split(","));
    const columns = names.map((): number[] => []);
    for (const row of rows) row.forEach((cell, k) => columns[k].push(Number(cell)));
    return { summary, columns: new Map(names.map((name, k) => [name, columns[k]])) };
});

// What the terminal shows of a run that fails.
export function complaint([file, ...options]: Model): string {
    return spawnSync(program, ["run", file, ...options], { cwd: root, encoding: "utf8" }).stderr;
}

// trammel view, until it is stopped.
export class Viewing {
    private constructor(private readonly child: ChildProcess, readonly address: string) {}

    static async start(file: string): Promise<Viewing> {
        const child = spawn(program, ["view", file, "--quiet"], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
        const address = await new Promise<string>((resolve, reject) => {
            child.once("error", reject);
            child.once("exit", (code) => reject(new Error(`trammel view ended with ${code}`)));
            child.stdout.once("data", (text) => resolve(String(text).trim()));
        });
        return new Viewing(child, address);
    }

    async stop(): Promise<void> {
        const gone = new Promise((resolve) => this.child.once("exit", resolve));
        this.child.kill("SIGINT");
        await gone;
    }
}

// The engine for JavaScript: texts in, texts and numbers out. For a page's worker, and for node.
//
// A failure of the engine itself (no memory, a stack that is too deep, a bug) is thrown as Broken; the Engine is of no use then,
// and another is made of the compiled module in a millisecond.

export class Broken extends Error {}

export const OUT_OF_MEMORY = "out of memory"; // its message then

export const OK = 0, FAILED = 1, WRONG = 2, NO_SOLUTION = 3, IO_ERROR = 4, NO_MEMORY = 5, INTERRUPTED = 130;
export const KEEP_NOTHING = 0, KEEP_PLOTS = 1, KEEP_PAGE = 2, KEEP_COLUMNS = 3;

const PAGE = 65536, FIRST_PAGES = 64; // as it is linked
const EBADF = 8, ESPIPE = 29;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export async function makeEngine(module, { megabytes = 1024, say = () => {} } = {}) {
    const memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: (megabytes * 1048576) / PAGE });
    const engine = new Engine(memory);
    const instance = await WebAssembly.instantiate(module, {
        env: { memory },
        trammel: { give_up: () => { throw new Broken(OUT_OF_MEMORY); } },
        wasi_snapshot_preview1: system(memory, say),
    });
    engine.exports = instance.exports;
    engine.exports._initialize();
    return engine;
}

// What the C library asks of a system: the time, an environment without variables, a console.
function system(memory, say) {
    const view = () => new DataView(memory.buffer);
    const bad = () => EBADF;
    return {
        clock_time_get: (_clock, _precision, out) => {
            view().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
            return 0;
        },
        environ_sizes_get: (count, size) => {
            view().setUint32(count, 0, true);
            view().setUint32(size, 0, true);
            return 0;
        },
        environ_get: () => 0,
        fd_write: (_file, pieces, count, written) => {
            let all = 0;
            for (let i = 0; i < count; i++) {
                const at = view().getUint32(pieces + 8 * i, true), length = view().getUint32(pieces + 8 * i + 4, true);
                say(decoder.decode(new Uint8Array(memory.buffer, at, length)));
                all += length;
            }
            view().setUint32(written, all, true);
            return 0;
        },
        fd_seek: () => ESPIPE,
        fd_close: bad,
        fd_filestat_get: bad,
        proc_exit: () => { throw new Broken("the engine has ended itself"); },
    };
}

export class Engine {
    exports = null;

    constructor(memory) {
        this.memory = memory;
    }

    // Calls by name; texts are lent for the call.
    call(name, ...given) {
        const lent = [];
        try {
            const values = given.map((value) => {
                if (typeof value !== "string") return value;
                const at = this.lend(value);
                lent.push(at);
                return at;
            });
            const result = this.exports[name](...values);
            lent.forEach((at) => this.exports.release(at));
            return result;
        } catch (failure) {
            if (failure instanceof Broken) throw failure;
            if (failure instanceof RangeError) throw new Broken("the model is nested too deeply");
            throw new Broken(failure instanceof WebAssembly.RuntimeError ? `the engine broke off: ${failure.message}` : String(failure));
        }
    }

    lend(text) {
        const bytes = encoder.encode(text.replace(/\0/g, "\ufffd"));
        const at = this.exports.alloc(bytes.length + 1);
        if (at === 0) throw new Broken(OUT_OF_MEMORY);
        const to = new Uint8Array(this.memory.buffer, at, bytes.length + 1);
        to.set(bytes);
        to[bytes.length] = 0;
        return at;
    }

    text(name, ...given) {
        const at = this.call(name, ...given);
        if (at === 0) return "";
        const bytes = new Uint8Array(this.memory.buffer);
        return decoder.decode(bytes.subarray(at, bytes.indexOf(0, at)));
    }

    doubles(at, count) {
        return at === 0 ? new Float64Array(0) : new Float64Array(this.memory.buffer, at, count).slice();
    }

    // settings: [name, expression] of parameters; files: { name: text } that may be included.
    read(name, text, settings = [], files = {}) {
        this.call("clear");
        for (const [file, content] of Object.entries(files)) this.call("put", file, content);
        return this.call("read", name, text, settings.map(([key, value]) => `${key}=${value.replace(/\n/g, " ")}`).join("\n"));
    }

    // [["until", "2*pi"], ["exact", "yes"]], as of a command line without its dashes; false if one is not known. What was given
    // before is not any more.
    options(given) {
        this.call("clear_options");
        return given.every(([name, value]) => this.call("option", name, value) === 1);
    }

    column(i) {
        return this.doubles(this.call("column", i), this.call("samples"));
    }

    columnNames() {
        return Array.from({ length: this.call("columns") }, (_, i) => this.text("column_name", i));
    }

    coordinateNames() {
        return Array.from({ length: this.call("coordinates") }, (_, i) => this.text("coordinate_name", i));
    }

    sessionValues() {
        return this.doubles(this.call("session_values"), this.call("columns"));
    }

    // Hands on: the model that was read goes on piece by piece. From its start, or from where another one was.
    live(from = null) {
        if (!from) return this.call("live_create", NaN, 0, 0);
        const count = from.q.length;
        const at = this.call("alloc", 16 * count + 16);
        if (at === 0) throw new Broken(OUT_OF_MEMORY);
        const room = new Float64Array(this.memory.buffer, at, 2 * count);
        room.set(from.q);
        room.set(from.v, count);
        const status = this.call("live_create", from.time, at, at + 8 * count);
        this.call("release", at);
        return status;
    }

    // The numbers of all tracks of the picture; time, energy, residual, the held point, the force on it.
    liveTracks() {
        const at = this.call("live_tracks");
        return at === 0 ? new Float32Array(0) : new Float32Array(this.memory.buffer, at, this.call("live_width")).slice();
    }

    liveNumbers() {
        return this.doubles(this.call("live_numbers"), 9);
    }

    liveState() {
        const count = this.call("coordinates");
        return { time: this.liveNumbers()[0], q: this.doubles(this.call("live_q"), count), v: this.doubles(this.call("live_v"), count) };
    }

    // { status, q, v } of the assembled start
    assemble() {
        const count = this.call("coordinates");
        const at = this.call("alloc", 16 * count + 16);
        if (at === 0) throw new Broken(OUT_OF_MEMORY);
        const status = this.call("assemble", at, at + 8 * count);
        const both = this.doubles(at, 2 * count);
        this.call("release", at);
        return { status, q: both.slice(0, count), v: both.slice(count) };
    }
}

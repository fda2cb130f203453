// Values of parameters as they stand in the page's address, #L=2&m=1%2F3, and as options of the program. Of a playground the text
// stands before them: compressed, as Base64 of the kind for addresses, which has no '='. How the picture is drawn, .style=lines,
// has a dot, as no parameter begins.

const PAUSE = 400; // milliseconds between two changes of the address: browsers refuse more than some in a time (Safari 100 in 30 s)

let wanted: string | null = null; // what is to stand in the address next
let timer = 0;

export function readValues(hash: string): Map<string, string> {
    const values = new Map<string, string>();
    for (const part of hash.replace(/^#/, "").split("&")) {
        const equals = part.indexOf("=");
        if (equals <= 0 || part.startsWith(".")) continue;
        try {
            values.set(decodeURIComponent(part.slice(0, equals)), decodeURIComponent(part.slice(equals + 1)));
        } catch {
            // not one of ours
        }
    }
    return values;
}

export function writeValues(values: ReadonlyMap<string, string>): void {
    put([keptText(), ...parts().filter((part) => part.startsWith(".")), ...[...values].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)]);
}

function put(parts: string[]): void {
    wanted = parts.filter((part) => part !== "").join("&");
    addEventListener("pagehide", write); // the same one, however often
    if (timer === 0) write();
}

function write(): void {
    clearTimeout(timer);
    timer = 0;
    const hash = wanted;
    wanted = null;
    if (hash === null || hash === location.hash.replace(/^#/, "")) return;
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
    timer = window.setTimeout(write, PAUSE);
}

function parts(): string[] {
    return (wanted ?? location.hash.replace(/^#/, "")).split("&");
}

// With all that was put.
export function address(): string {
    write();
    return location.href;
}

// A link to this page was followed in the page itself.
export function onAddress(act: () => void): void {
    addEventListener("hashchange", () => {
        wanted = null;
        act();
    });
}

export function keptText(): string {
    const [first] = parts();
    return first.includes("=") ? "" : first;
}

export function keepText(packed: string): void {
    put([packed, ...parts().filter((part) => part.includes("="))]);
}

const STYLE = ".style=";

export function readStyle(hash: string): string {
    return hash.replace(/^#/, "").split("&").find((part) => part.startsWith(STYLE))?.slice(STYLE.length) ?? "";
}

export function writeStyle(style: string): void {
    const others = parts().filter((part) => !part.startsWith(STYLE));
    const text = others.filter((part) => !part.includes("="));
    put([...text, style === "" ? "" : STYLE + style, ...others.filter((part) => part.includes("="))]);
}

export async function packText(text: string): Promise<string> {
    const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
    return btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export async function unpackText(packed: string): Promise<string> {
    const raw = atob(packed.replace(/-/g, "+").replace(/_/g, "/"));
    return new TextDecoder().decode(await through(Uint8Array.from(raw, (c) => c.charCodeAt(0)), new DecompressionStream("deflate-raw")));
}

async function through(bytes: Uint8Array<ArrayBuffer>, by: CompressionStream | DecompressionStream): Promise<Uint8Array> {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(by)).arrayBuffer());
}

// --set L=2 --set 'm=1 + x', as a shell takes it.
export function setsOf(values: ReadonlyMap<string, string>): string {
    return [...values].map(([name, value]) => `--set ${quoted(`${name}=${value}`)}`).join(" ");
}

function quoted(word: string): string {
    return /^[A-Za-z0-9_=.,:+\/-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

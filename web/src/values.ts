// Values of parameters as they stand in the page's address, #L=2&m=1%2F3, and as options of the program.

export function readValues(hash: string): Map<string, string> {
    const values = new Map<string, string>();
    for (const part of hash.replace(/^#/, "").split("&")) {
        const equals = part.indexOf("=");
        if (equals <= 0) continue;
        try {
            values.set(decodeURIComponent(part.slice(0, equals)), decodeURIComponent(part.slice(equals + 1)));
        } catch {
            // not one of ours
        }
    }
    return values;
}

export function writeValues(values: ReadonlyMap<string, string>): void {
    const hash = [...values].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
    if (hash !== location.hash.replace(/^#/, "")) history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
}

// --set L=2 --set 'm=1 + x', as a shell takes it.
export function setsOf(values: ReadonlyMap<string, string>): string {
    return [...values].map(([name, value]) => `--set ${quoted(`${name}=${value}`)}`).join(" ");
}

function quoted(word: string): string {
    return /^[A-Za-z0-9_=.,:+\/-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

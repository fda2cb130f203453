// Reads MathML from text into a tree of what is allowed, and leaves out all else: elements that are not of the list go with
// everything in them, attributes are held to a pattern. A reader of our own, not the browser's: it knows no scripts, no
// styles, no handlers and no namespaces, so there is nothing to run or to load, not even for a moment.

export interface MathNode { name: string; attributes: [string, string][]; children: (MathNode | string)[] }

const ELEMENTS = new Set(
    ("math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle msub msup msubsup munder mover munderover mmultiscripts " +
        "mprescripts none mtable mtr mtd mpadded mphantom merror menclose").split(" "));

const YES = /^(true|false)$/;
const LENGTH = /^[+-]?[\d.]{1,8}(em|ex|px|pt|%)?$/;
const ATTRIBUTES = new Map<string, RegExp>([
    ["display", /^(block|inline)$/], ["mathvariant", /^[a-z-]{1,30}$/], ["form", /^(prefix|infix|postfix)$/], ["dir", /^(ltr|rtl)$/],
    ["scriptlevel", /^[+-]?\d$/], ["columnspan", /^\d{1,3}$/], ["rowspan", /^\d{1,3}$/],
    ["columnalign", /^((left|center|right)\s*)+$/], ["rowspacing", /^[\d.a-z% ]{1,80}$/], ["columnspacing", /^[\d.a-z% ]{1,80}$/],
    ...["displaystyle", "stretchy", "fence", "separator", "symmetric", "largeop", "movablelimits", "accent", "accentunder"]
        .map((name): [string, RegExp] => [name, YES]),
    ...["lspace", "rspace", "width", "height", "depth", "voffset", "linethickness", "minsize", "maxsize"]
        .map((name): [string, RegExp] => [name, LENGTH]),
]);

const ENTITIES: Record<string, string> = {
    lt: "<", gt: ">", amp: "&", quot: "\"", apos: "'", nbsp: "\u00a0",
    ApplyFunction: "\u2061", af: "\u2061", InvisibleTimes: "\u2062", it: "\u2062", minus: "−", prime: "′", lambda: "λ",
};

const DEPTH = 200; // deeper than any formula
const PIECE = /<!--[^]*?(?:-->|$)|<(\/?)([A-Za-z][\w:.-]*)((?:\s+[^\s=<>"'/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*)\s*(\/?)>|([^<]+|<)/g;
const ATTRIBUTE = /([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function decode(text: string): string {
    return text.replace(/&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|(\w{1,20}));/g, (all, hex?: string, decimal?: string, name?: string) => {
        if (name !== undefined) return Object.prototype.hasOwnProperty.call(ENTITIES, name) ? ENTITIES[name] : all;
        const code = hex !== undefined ? parseInt(hex, 16) : Number(decimal);
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    });
}

// The formulas of the text, one "math" each. What stands between them is left out.
export function parseMathml(text: string): MathNode[] {
    const root: MathNode = { name: "", attributes: [], children: [] };
    const open: MathNode[] = [root];
    let skipping: string[] = []; // elements of no concern that are open
    for (const match of text.matchAll(PIECE)) {
        const [, closing, name, attributes = "", empty, plain] = match as (string | undefined)[];
        const top = open[open.length - 1];
        if (plain !== undefined) {
            if (skipping.length === 0 && top !== root && plain.trim() !== "") top.children.push(decode(plain));
        } else if (name === undefined) {
            continue; // a comment
        } else if (closing) {
            if (skipping.length > 0) skipping = skipping.slice(0, Math.max(0, skipping.lastIndexOf(name)));
            else if (top.name === name) open.pop();
        } else if (skipping.length > 0 || !allowed(name, open)) {
            if (!empty) skipping.push(name);
        } else {
            const node: MathNode = { name, attributes: readAttributes(attributes), children: [] };
            top.children.push(node);
            if (!empty) open.push(node);
        }
    }
    return root.children.filter((child): child is MathNode => typeof child !== "string");
}

function allowed(name: string, open: MathNode[]): boolean {
    return ELEMENTS.has(name) && (name === "math") === (open.length === 1) && open.length < DEPTH;
}

function readAttributes(text: string): [string, string][] {
    const read: [string, string][] = [];
    for (const match of text.matchAll(ATTRIBUTE)) {
        const [, name = "", double, single] = match as (string | undefined)[];
        const value = decode(double ?? single ?? "");
        if (ATTRIBUTES.get(name)?.test(value)) read.push([name, value]);
    }
    return read;
}

// Elements with attributes and children. Strings become text nodes: nothing from a model is ever parsed as HTML.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (typeof value === "function") element.addEventListener(name, value as EventListener);
        else element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children) {
        if (child === null || child === undefined || child === false) continue;
        element.append(child instanceof Node ? child : String(child));
    }
}

// An attribute that is a function listens to the event of its name.
export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Attributes = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    fill(element, attributes, children);
    return element;
}

// A text with its powers of ten raised: no font has all the raised digits in one design.
export function figure(text: string): DocumentFragment {
    const made = document.createDocumentFragment();
    text.split(/(?<=10)([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/).forEach((part, i) => {
        if (i % 2 === 0) made.append(part);
        else made.append(h("sup", {}, part.replace(/[^]/g, (c) => (c === "⁻" ? "−" : String("⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c))))));
    });
    return made;
}

const SVG = "http://www.w3.org/2000/svg";

// A picture for a button, 16 by 16, in the colour of the text.
export function icon(path: string): SVGElement {
    const svg = document.createElementNS(SVG, "svg");
    fill(svg, { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", class: "icon" }, []);
    const shape = document.createElementNS(SVG, "path");
    shape.setAttribute("d", path);
    svg.append(shape);
    return svg;
}

export const ICONS = {
    play: "M4 2.5v11l9.5-5.5z",
    pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
    start: "M3 3h2v10H3zM13 3v10L6 8z",
    end: "M11 3h2v10h-2zM3 3v10l7-5z",
    loop: "M3 8a5 5 0 0 1 8.5-3.5L13 3v4H9l1.5-1.5A3.5 3.5 0 0 0 4.5 8zM13 8a5 5 0 0 1-8.5 3.5L3 13V9h4l-1.5 1.5A3.5 3.5 0 0 0 11.5 8z",
    fit: "M2 2h4v1.5H3.5V6H2zM10 2h4v4h-1.5V3.5H10zM2 10h1.5v2.5H6V14H2zM12.5 10H14v4h-4v-1.5h2.5z",
    theme: "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13zM8 3v10a5 5 0 0 1 0-10z",
    help: "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13zM8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3zM7.25 10.5h1.5V12h-1.5zM5.6 6.6C5.6 5 6.6 4.2 8 4.2s2.5.8 2.5 2.1c0 1.7-1.8 1.8-1.8 3.3H7.3c0-2.2 1.7-2.2 1.7-3.2 0-.5-.4-.8-1-.8s-1 .4-1 1z",
} as const;

export function button(label: string, path: string, click: () => void, keys = ""): HTMLButtonElement {
    const title = keys ? `${label} (${keys})` : label;
    return h("button", { type: "button", class: "icon-button", "aria-label": label, title, click }, icon(path));
}

// To the clipboard; false where the browser does not let a page.
export async function copied(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return false;
    }
}

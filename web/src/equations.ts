// The equations of motion: paragraphs as text with formulas in them, and behind the name of a body or a joint what
// belongs to it, folded. They are copied as LaTeX.
import type { Run } from "./data";
import { copied, h } from "./dom";
import { readMathml } from "./mathml";

const OPEN = 4; // groups that are not folded
const LONG = 40_000; // characters of MathML, beyond which they are made when they come near
const NEAR = "200px";

const isTable = (formula: Element): boolean => formula.querySelector(":scope > mtable") !== null;
const isGroup = (text: string): boolean => /^[^:]{1,80}: /.test(text) && !/^(rows|where|with|and|Other)\b/.test(text);

// A formula that is a text wraps as one.
function paragraph(formula: Element): HTMLElement {
    const shown = h("p", { dir: "auto" });
    for (const child of [...formula.children]) {
        if (child.localName === "mtext") {
            shown.append(child.textContent.replace(/\u00a0/g, " "));
        } else {
            const inside = document.createElementNS("http://www.w3.org/1998/Math/MathML", "math");
            inside.append(child);
            shown.append(inside);
        }
    }
    return shown;
}

// A paragraph such as "hub: revolute, ground and crank" and the formulas up to the next.
function groups(parts: HTMLElement[]): HTMLElement[] {
    const out: HTMLElement[] = [];
    let group: HTMLElement | null = null;
    let count = 0;
    for (const part of parts) {
        if (part.localName === "p") {
            group = isGroup(part.textContent) ? h("details", { class: "equation-group" }, h("summary", {}, ...part.childNodes)) : null;
            if (group && count++ < OPEN) group.setAttribute("open", "");
            out.push(group ?? part);
        } else {
            if (group) group.append(part);
            else out.push(part);
        }
    }
    return out;
}

function copyButton(latex: string): HTMLElement {
    const button = h("button", { type: "button", class: "small", click: () => void copy() }, "Copy LaTeX");
    const copy = async (): Promise<void> => {
        if (await copied(latex)) {
            button.textContent = "Copied";
        } else { // to be copied by hand
            const text = h("textarea", { class: "latex", readonly: "", rows: 6, "aria-label": "The equations as LaTeX" }, latex);
            button.replaceWith(text);
            text.select();
        }
        setTimeout(() => { button.textContent = "Copy LaTeX"; }, 2000);
    };
    return button;
}

function formulas(mathml: string): HTMLElement[] {
    const parts = readMathml(mathml).map((formula) => (isTable(formula) ? h("div", {}, formula) : paragraph(formula)));
    return parts[0]?.textContent.startsWith("Newton") ? groups(parts) : parts;
}

// Once, when the element is about to be seen or printed.
function whenNear(element: Element, make: () => void): void {
    const made = (): void => {
        near.disconnect();
        removeEventListener("beforeprint", made);
        make();
    };
    const near = new IntersectionObserver((seen) => { if (seen.some((s) => s.isIntersecting)) made(); }, { rootMargin: NEAR });
    near.observe(element);
    addEventListener("beforeprint", made);
}

export function equations(run: Run): HTMLElement[] {
    const shown = h("div", { class: "equations", tabindex: 0, role: "region", "aria-label": "Equations of motion" });
    const fill = (): void => shown.replaceChildren(...formulas(run.equations));
    shown.classList.toggle("long", run.equations.length > LONG);
    if (shown.classList.contains("long")) whenNear(shown, fill);
    else fill();
    return [h("div", { class: "equations-head" }, h("h3", {}, "Equations of motion"), run.latex ? copyButton(run.latex) : null), shown];
}

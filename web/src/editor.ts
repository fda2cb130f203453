// An editor for models: a textarea, and behind it the same text in colours, with line numbers and what is wrong where. Names are
// completed from the grammar's words and from those that stand in the text.
import grammar from "../../editors/trammel.tmLanguage.json";
import { h } from "./dom";
import { highlight } from "./highlight";

export interface Fault { line: number; column: number; bad: boolean; text: string } // from 1

const LONGEST = 100_000; // characters; beyond, colours would cost more than they give
const OFFERED = 8;

// name:3:8: error: ...
export function faultsOf(messages: string): Fault[] {
    return [...messages.matchAll(/^[^\n:]*:(\d+):(\d+): (error|warning): (.*)$/gm)].map(([, line, column, kind, text]) => ({
        line: Number(line), column: Number(column), bad: kind === "error", text,
    }));
}

// The words that patterns of the grammar list: (sin|cos|...).
function wordsOf(rule: unknown, into: Set<string>): Set<string> {
    if (typeof rule !== "object" || rule === null) return into;
    for (const [key, value] of Object.entries(rule)) {
        if (key === "match" && typeof value === "string")
            for (const list of value.matchAll(/\(([a-z0-9]+(?:\|[a-z0-9]+)+)\)/g)) list[1].split("|").forEach((word) => into.add(word));
        else wordsOf(value, into);
    }
    return into;
}

const WORDS = [...wordsOf(grammar, new Set())].sort();

export function completions(text: string, start: string): string[] {
    const own = new Set(text.replace(/#.*/g, "").match(/[A-Za-z_]\w*/g) ?? []);
    const found = [...[...own].sort(), ...WORDS.filter((word) => !own.has(word))];
    return found.filter((word) => word.length > start.length && word.startsWith(start)).slice(0, OFFERED);
}

export class Editor {
    readonly element: HTMLElement;
    private readonly numbers = h("div", { class: "editor-numbers", "aria-hidden": "true" });
    private readonly paint = h("pre", { class: "editor-paint", "aria-hidden": "true" });
    private readonly area = h("textarea", {
        class: "editor-area", spellcheck: "false", autocomplete: "off", autocapitalize: "off", autocorrect: "off", wrap: "off",
        "aria-label": "Model", input: () => this.edited(), keydown: (event: KeyboardEvent) => this.key(event),
        blur: () => this.close(), click: () => this.close(), scroll: () => this.area.scrollTo(0, 0),
    });
    private readonly offers = h("ul", { class: "editor-offers", role: "listbox", "aria-label": "Names" });
    private faults: Fault[] = [];
    private chosen = 0;

    constructor(private readonly changed: () => void) {
        this.offers.hidden = true;
        this.element = h("div", { class: "editor" }, this.numbers, h("div", { class: "editor-text" }, this.paint, this.area, this.offers));
    }

    get text(): string { return this.area.value; }

    // By way of the browser's own editing where there is one, so that it can be undone.
    replace(text: string): void {
        this.area.focus();
        this.area.select();
        // eslint-disable-next-line @typescript-eslint/no-deprecated
        if (!document.execCommand("insertText", false, text)) this.area.value = text;
        this.area.setSelectionRange(0, 0);
        this.element.scrollTop = 0;
        this.mark([]);
        this.changed();
    }

    start(text: string): void {
        this.area.value = text;
        this.draw();
    }

    mark(faults: Fault[]): void {
        this.faults = faults;
        this.draw();
    }

    // The caret goes to where something is wrong.
    show({ line, column }: Fault): void {
        const at = this.text.split("\n").slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0) + column - 1;
        this.area.focus();
        this.area.setSelectionRange(at, at);
        this.numbers.children[line - 1].scrollIntoView({ block: "nearest" });
    }

    private edited(): void {
        this.faults = [];
        this.draw();
        this.offer(2);
        this.changed();
    }

    // --- what is seen ------------------------------------------------------------------------------------------------------

    private draw(): void {
        const { text } = this;
        const lines = text.split("\n");
        const wrong = new Map<number, Fault>();
        for (const fault of this.faults) if (!wrong.has(fault.line)) wrong.set(fault.line, fault);
        this.numbers.replaceChildren(...lines.map((_, i) => {
            const fault = wrong.get(i + 1);
            return h("div", { class: fault ? (fault.bad ? "bad" : "warned") : null, title: fault?.text ?? null }, i + 1);
        }));
        this.paint.replaceChildren(...this.painted(text), "\n");
        for (const fault of wrong.values()) this.paint.append(this.caret(fault, lines));
    }

    private painted(text: string): (Node | string)[] {
        if (text.length > LONGEST) return [text];
        return highlight(text).map((token) => (token.category === "" ? token.text : h("span", { class: `tok-${token.category}` }, token.text)));
    }

    // Lies over the text, measured in characters of its one width.
    private caret(fault: Fault, lines: string[]): HTMLElement {
        const rest = (lines[fault.line - 1] ?? "").slice(fault.column - 1);
        const length = /^\w+/.exec(rest)?.[0].length ?? 1;
        const mark = h("span", { class: fault.bad ? "editor-fault" : "editor-fault warned" });
        mark.style.top = `calc(${fault.line - 1} * var(--line))`;
        mark.style.left = `${fault.column - 1}ch`;
        mark.style.width = `${length}ch`;
        return mark;
    }

    // --- keys and names ----------------------------------------------------------------------------------------------------

    private get word(): string {
        return /[A-Za-z_]\w*$/.exec(this.text.slice(0, this.area.selectionStart))?.[0] ?? "";
    }

    private offer(least: number): void {
        const { word } = this;
        const behind = this.text.slice(this.area.selectionStart, this.area.selectionStart + 1);
        const found = word.length >= least && !/\w/.test(behind) && !this.inComment() ? completions(this.others(word), word) : [];
        if (found.length === 0) {
            this.close();
            return;
        }
        this.chosen = 0;
        this.offers.replaceChildren(...found.map((name, i) => h("li", {
            role: "option", "aria-selected": String(i === 0),
            mousedown: (event: MouseEvent) => { event.preventDefault(); this.take(name); },
        }, name)));
        const before = this.text.slice(0, this.area.selectionStart).split("\n");
        this.offers.style.top = `calc(${before.length} * var(--line))`;
        this.offers.style.left = `${before[before.length - 1].length - word.length}ch`;
        this.offers.hidden = false;
    }

    private inComment(): boolean {
        return this.text.slice(0, this.area.selectionStart).split("\n").at(-1)!.includes("#");
    }

    // The text without the word that is being typed.
    private others(word: string): string {
        const at = this.area.selectionStart;
        return `${this.text.slice(0, at - word.length)} ${this.text.slice(at)}`;
    }

    private close(): void {
        this.offers.hidden = true;
    }

    private choose(step: number): void {
        const { children } = this.offers;
        children[this.chosen].setAttribute("aria-selected", "false");
        this.chosen = (this.chosen + step + children.length) % children.length;
        children[this.chosen].setAttribute("aria-selected", "true");
    }

    private take(name: string): void {
        this.insert(name.slice(this.word.length));
        this.close();
    }

    private insert(text: string): void {
        // eslint-disable-next-line @typescript-eslint/no-deprecated
        if (document.execCommand("insertText", false, text)) return;
        this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
        this.edited();
    }

    private key(event: KeyboardEvent): void {
        if (event.key === " " && event.ctrlKey) {
            event.preventDefault();
            this.offer(0);
            return;
        }
        if (!this.offers.hidden) {
            const acts: Record<string, () => void> = {
                ArrowDown: () => this.choose(1), ArrowUp: () => this.choose(-1), Escape: () => this.close(),
                Tab: () => this.take(this.offers.children[this.chosen].textContent), Enter: () => this.take(this.offers.children[this.chosen].textContent),
            };
            const act = acts[event.key] as (() => void) | undefined;
            if (act) {
                event.preventDefault();
                act();
                return;
            }
            if (/^(Arrow|Home|End|Page)/.test(event.key)) this.close();
        }
        if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey) {
            const line = this.text.slice(0, this.area.selectionStart).split("\n").at(-1)!;
            const indent = /^\s*/.exec(line)![0] + (/\{\s*$/.test(line) ? "    " : "");
            if (indent === "") return;
            event.preventDefault();
            this.insert(`\n${indent}`);
        }
    }
}

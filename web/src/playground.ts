// A model edited on the left, and its page on the right. The text is run after a pause, by the engine of the page; it is in the
// page's address, behind the #, and leaves the browser with that alone.
import "./playground.css";
import { readRun, type Run } from "./data";
import { copied, h } from "./dom";
import { Editor, faultsOf } from "./editor";
import { PageEngine } from "./engine";
import type { Page } from "./page";
import { address, keptText, keepText, onAddress, packText, readValues, unpackText } from "./values";

const PAUSE = 300; // milliseconds after the last key
const LINK_MOST = 1_000_000; // characters: browsers open addresses of 1 to 2 MB

interface Shipped { name: string; title: string; text: string }

export function playgroundData(data: unknown): { run: Run; models: Shipped[] } | null {
    if (typeof data !== "object" || data === null || !("playground" in data)) return null;
    const { models } = data as { models?: unknown };
    return { run: readRun(data), models: Array.isArray(models) ? (models as Shipped[]) : [] };
}

export class Playground {
    private readonly editor = new Editor(() => this.edited());
    private readonly said = h("div", { class: "playground-said", role: "status" });
    private readonly state = h("span", { class: "playground-state" });
    private readonly link = h("button", { type: "button", class: "small", click: () => void this.copyLink() }, "Copy link");
    private readonly save = h("button", { type: "button", class: "small", click: () => this.saveFile() }, "Save");
    private readonly engine = PageEngine.find();
    private timer = 0;
    private name: string;
    private linkFault = ""; // of the address, which is then left as it is until something is typed

    constructor(root: HTMLElement, private readonly origin: Run, models: Shipped[], makePage: (root: HTMLElement) => Page) {
        const right = h("div", { class: "playground-page" });
        this.name = origin.model || "model.tram";
        const left = h("section", { class: "playground-edit", "aria-label": "Editor" },
            h("div", { class: "playground-tools" }, this.menu(models), this.save, this.link, this.state),
            this.editor.element, this.said);
        root.classList.add("playground");
        root.append(left, right);
        this.page = makePage(right);
        this.page.use(this.engine, (messages) => this.tell(messages));
        void this.start();
    }

    private readonly page: Page;

    private async start(): Promise<void> {
        this.editor.start((await this.linked()) ?? this.origin.text);
        if (!this.engine) {
            this.tell("error: this browser has no WebAssembly or no DecompressionStream, so that nothing can be run here\n");
            return;
        }
        onAddress(() => void this.follow());
        await this.run();
    }

    // The text of the address; null if it has none.
    private async linked(): Promise<string | null> {
        const kept = keptText();
        this.linkFault = "";
        if (kept === "") return null;
        try {
            return await unpackText(kept);
        } catch {
            this.linkFault = "error: the model in this page's address cannot be read\n    is the link whole? it ends early, or was changed\n";
            return null;
        }
    }

    private async follow(): Promise<void> {
        const values = readValues(location.hash);
        const text = await this.linked();
        if (text !== null) this.editor.start(text);
        if (this.linkFault === "") this.page.forget(values);
        await this.run();
    }

    private menu(models: Shipped[]): HTMLElement {
        const folders = new Map<string, HTMLOptGroupElement>();
        const select = h("select", { "aria-label": "Models", change: () => this.open(models[Number(select.value)]) },
            h("option", { value: "" }, "Models …"));
        models.forEach((model, i) => {
            const folder = model.name.split("/")[0];
            const group = folders.get(folder) ?? h("optgroup", { label: folder });
            folders.set(folder, group);
            group.append(h("option", { value: i }, model.title));
        });
        select.append(...folders.values());
        return select;
    }

    private open(model: Shipped | undefined): void {
        if (!model) return;
        this.name = model.name.split("/").at(-1)!;
        this.page.forget();
        this.editor.replace(model.text);
        clearTimeout(this.timer);
        void this.run();
    }

    private edited(): void {
        this.linkFault = "";
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => void this.run(), PAUSE);
    }

    private async run(): Promise<void> {
        const { text } = this.editor;
        this.page.stem({ ...this.origin, model: this.name, text });
        const packed = await packText(text);
        if (text !== this.editor.text) return; // the next is on its way
        if (this.linkFault === "") keepText(packed.length <= LINK_MOST ? packed : "");
        this.state.textContent = "running …";
        await this.page.again();
        this.state.textContent = "";
    }

    // What a run said, or nothing.
    private tell(said: string): void {
        const messages = this.linkFault + said;
        const faults = faultsOf(messages);
        this.editor.mark(faults);
        const first = faults.find((f) => f.bad) ?? faults.at(0);
        const goThere = (): void => { if (first) this.editor.show(first); };
        this.said.replaceChildren(...(messages.trim() === "" ? [] : [h("pre", {
            class: faults.some((f) => f.bad) || /^error/m.test(messages) ? "notice bad" : "notice", dir: "auto", tabindex: 0,
            click: goThere, keydown: (event: KeyboardEvent) => { if (event.key === "Enter") goThere(); },
        }, messages.trimEnd())]));
    }

    private async copyLink(): Promise<void> {
        const link = address();
        this.link.textContent = keptText() === "" ? "Too long for a link" : await copied(link) ? "Copied" : "It is this page's address";
        setTimeout(() => { this.link.textContent = "Copy link"; }, 3000);
    }

    private saveFile(): void {
        const file = URL.createObjectURL(new Blob([this.editor.text], { type: "text/plain" }));
        h("a", { href: file, download: this.name }).click();
        setTimeout(() => URL.revokeObjectURL(file), 1000);
    }
}

// Takes the data out of the page and shows it.
import "./style.css";
import "./live.css";
import { readSweep } from "./cases";
import { h } from "./dom";
import { Page } from "./page";
import { Playground, playgroundData } from "./playground";
import { SweepPage } from "./sweep";

declare global {
    interface Window { trammelPage?: Page }
}

function start(): void {
    const root = document.getElementById("page")!;
    const element = document.getElementById("data");
    const text = element?.textContent ?? "null";
    let data: unknown = null;
    try {
        data = JSON.parse(text);
    } catch (failure) {
        root.append(h("p", { class: "notice bad" }, `The data in this page cannot be read: ${String(failure)}`));
        return;
    }
    // Where it is not large it stays, so that a page saved from the browser is one.
    if (text.length > 2e7) element?.remove();
    root.replaceChildren();
    const make = (at: HTMLElement): Page => (window.trammelPage = new Page(at)); // for tests, and for who looks with the browser's tools
    const playground = playgroundData(data);
    const sweep = readSweep(data);
    if (sweep) new SweepPage(root, sweep, make);
    else if (playground) new Playground(root, playground.run, playground.models, make);
    else make(root).start(data);
}

start();

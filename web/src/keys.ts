// The keyboard, and the list of what it does.
import { h } from "./dom";

export interface Actions {
    toggle(): void;
    step(samples: number): void;
    leap(sign: number): void; // a hundredth of the run
    home(): void;
    end(): void;
    zoom(factor: number): void;
    fit(): void;
    turn(right: number, up: number): void;
    faster(steps: number): void;
    onStage(): boolean;
    // While a hand is on the model; false: it is not.
    nudge(right: number, up: number): boolean;
    grab(): boolean;
    letGo(): boolean;
}

const KEYS: [string, string][] = [
    ["Space", "play, pause"],
    ["← →", "one sample back, on"],
    ["Shift ← →", "a hundredth of the run"],
    ["Home End", "start, end"],
    ["+ −", "zoom the animation, or the chart that has the focus"],
    ["0", "see all again"],
    ["< >", "slower, faster"],
    ["g", "hands on: hold the next part; arrows pull it, Escape lets go"],
    ["Shift arrows", "turn the animation, while it has the focus"],
    ["?", "this list"],
];

const POINTER: [string, string][] = [
    ["Animation", "drag turns (in the plane: shifts), right button or two fingers shift, Ctrl and wheel or pinch zooms, double click fits"],
    ["Hands on", "drag a part: a spring pulls it, or, at rest, it is led within its constraints"],
    ["Charts", "hover or tap moves the time, drag zooms, double click shows all"],
];

const ARROWS: Readonly<Partial<Record<string, [number, number]>>> = {
    ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
};

export function helpDialog(): HTMLDialogElement {
    const rows = (list: [string, string][]): HTMLElement[] =>
        list.map(([key, what]) => h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, what)));
    const dialog = h("dialog", { class: "help", "aria-label": "Keys and gestures" },
        h("h2", {}, "Keys and gestures"), h("table", {}, h("tbody", {}, ...rows(KEYS), ...rows(POINTER))),
        h("form", { method: "dialog" }, h("button", { class: "small", click: (event: Event) => { event.preventDefault(); dialog.close(); } }, "Close")));
    dialog.addEventListener("click", (event) => {
        if (event.target === dialog) dialog.close();
    });
    return dialog;
}

// What the element with the focus does with a key itself.
function taken(target: EventTarget | null, key: string): boolean {
    if (!(target instanceof HTMLElement)) return false;
    if (target.closest("dialog[open]")) return true;
    if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return true;
    if (target instanceof HTMLInputElement) {
        if (target.type === "range") return /^(Arrow|Home|End|Page)/.test(key);
        if (target.type !== "checkbox") return true;
        return key === " ";
    }
    if (key === " ") return target.closest("button, summary, a") !== null;
    return key.startsWith("Arrow") && target.closest(".model, .equations") !== null;
}

export function listenToKeys(actions: Actions, help: HTMLDialogElement): void {
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || taken(event.target, event.key)) return;
        if (act(event, actions, help)) event.preventDefault();
    });
}

function act(event: KeyboardEvent, actions: Actions, help: HTMLDialogElement): boolean {
    const turning = event.shiftKey && actions.onStage();
    const arrow = ARROWS[event.key];
    if (arrow && !event.shiftKey && actions.nudge(...arrow)) return true;
    switch (event.key) {
        case "g": return actions.grab();
        case "Escape": return actions.letGo();
        case " ": actions.toggle(); return true;
        case "ArrowLeft":
        case "ArrowRight": {
            const sign = event.key === "ArrowLeft" ? -1 : 1;
            if (turning) actions.turn(sign * 0.1, 0);
            else if (event.shiftKey) actions.leap(sign);
            else actions.step(sign);
            return true;
        }
        case "ArrowUp":
        case "ArrowDown":
            if (!turning) return false;
            actions.turn(0, event.key === "ArrowUp" ? 0.1 : -0.1);
            return true;
        case "Home": actions.home(); return true;
        case "End": actions.end(); return true;
        case "+":
        case "=": actions.zoom(1.25); return true;
        case "-": actions.zoom(0.8); return true;
        case "0": actions.fit(); return true;
        case "<": actions.faster(-1); return true;
        case ">": actions.faster(1); return true;
        case "?": help.showModal(); return true;
        default: return false;
    }
}

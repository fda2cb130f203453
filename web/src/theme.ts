// Dark and light: as the system says, until someone chooses. Colours for canvases come from the style sheet, so there is
// one place that knows them.

import { OWN_COLOUR } from "./data";

export interface Colours {
    paper: string;
    ink: string;
    muted: string;
    faint: string;
    grid: string;
    link: string; // fill of bars in the plane
    bar: string; // bars in space
    force: string;
    series: string[];
    dark: boolean;
}

const KEY = "trammel-theme";
const listeners: (() => void)[] = [];
let cached: Colours | null = null;

function system(): boolean {
    return matchMedia("(prefers-color-scheme: dark)").matches;
}

function remembered(): string | null {
    try {
        return localStorage.getItem(KEY);
    } catch {
        return null; // no storage for this page: then nothing is remembered
    }
}

export function isDark(): boolean {
    const chosen = document.documentElement.dataset["theme"];
    return chosen ? chosen === "dark" : system();
}

export function toggleTheme(): void {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset["theme"] = next;
    try {
        localStorage.setItem(KEY, next);
    } catch {
        // as above
    }
    changed();
}

export function startTheme(): void {
    const chosen = remembered();
    if (chosen === "dark" || chosen === "light") document.documentElement.dataset["theme"] = chosen;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
    // Print is black on white, whatever the screen is, and canvases must follow before the page is laid out.
    let screen: string | undefined;
    addEventListener("beforeprint", () => {
        screen = document.documentElement.dataset["theme"];
        document.documentElement.dataset["theme"] = "light";
        document.documentElement.classList.add("printing");
        changed();
    });
    addEventListener("afterprint", () => {
        document.documentElement.classList.remove("printing");
        if (screen) document.documentElement.dataset["theme"] = screen;
        else delete document.documentElement.dataset["theme"];
        changed();
    });
}

export function onTheme(listener: () => void): void {
    listeners.push(listener);
}

function changed(): void {
    cached = null;
    for (const listener of listeners) listener();
}

// What a drawing's colour is of the palette, or its own.
export function tone(c: Colours, index: number): string {
    return index >= OWN_COLOUR ? `#${(index - OWN_COLOUR).toString(16).padStart(6, "0")}` : c.series[index % c.series.length];
}

export function colours(): Colours {
    if (cached) return cached;
    const style = getComputedStyle(document.documentElement);
    const get = (name: string): string => style.getPropertyValue(`--${name}`).trim() || "#888";
    cached = {
        paper: get("paper"),
        ink: get("ink"),
        muted: get("muted"),
        faint: get("faint"),
        grid: get("grid"),
        link: get("link"),
        bar: get("bar"),
        force: get("force"),
        series: [1, 2, 3, 4, 5, 6, 7].map((i) => get(`series-${i}`)),
        dark: isDark(),
    };
    return cached;
}

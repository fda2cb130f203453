// Sliders for the parameters of a model that can be run: by the server, or by the engine of the page. Beside each a field that
// takes any expression, as --set does. Values that were given are in the page's address, behind the #.
import type { Parameter, Run } from "./data";
import { copied, h } from "./dom";
import { number } from "./format";
import { roundStep } from "./camera";
import { readValues, setsOf, writeValues } from "./values";

const SHOWN = 40; // arrays of parameters may have thousands of entries

interface Row { parameter: Parameter; slider: HTMLInputElement; field: HTMLInputElement; element: HTMLElement }

export class Sliders {
    readonly element = h("section", { class: "sliders", "aria-label": "Parameters" });
    readonly values: Map<string, string>; // of those that were moved
    private rows: Row[] = [];
    private readonly body = h("div", { class: "slider-rows" });
    private readonly reset = h("button", { type: "button", class: "small", click: () => this.clear() }, "As in the model");
    private readonly copy = h("button", {
        type: "button", class: "small", title: "The values as options of trammel", click: () => void this.copySets(),
    }, "Copy as --set");
    private readonly message = h("div", { class: "slider-message" });

    constructor(private readonly moved: () => void) {
        this.values = readValues(location.hash);
        this.element.append(h("div", { class: "chart-head" }, h("h3", {}, "Parameters"), this.copy, this.reset), this.body, this.message);
        this.tell();
    }

    // What is wrong with the values, where they are; there is room for it, so that nothing moves.
    say(complaint: string): void {
        this.message.replaceChildren(...(complaint === "" ? [] : [h("pre", { class: "notice bad", role: "alert", dir: "auto" }, complaint.trimEnd())]));
    }

    private tell(): void {
        this.reset.hidden = this.copy.hidden = this.values.size === 0;
        writeValues(this.values);
    }

    private async copySets(): Promise<void> {
        const text = setsOf(this.values);
        this.copy.textContent = (await copied(text)) ? "Copied" : text;
        setTimeout(() => { this.copy.textContent = "Copy as --set"; }, 3000);
    }

    load(run: Run): void {
        const names = run.parameters.slice(0, SHOWN).map((p) => p.name).join("\n");
        this.element.hidden = run.parameters.length === 0;
        if (names === this.rows.map((r) => r.parameter.name).join("\n")) {
            // What was not moved may follow from what was.
            run.parameters.slice(0, SHOWN).forEach((p, i) => {
                if (!this.values.has(p.name)) this.set(this.rows[i], p);
                this.rows[i].parameter = p;
            });
            return;
        }
        this.rows = run.parameters.slice(0, SHOWN).map((p) => this.row(p));
        this.body.replaceChildren(...this.rows.map((r) => r.element));
    }

    private row(parameter: Parameter): Row {
        const { name, value } = parameter;
        const id = `parameter-${name}`;
        const slider = h("input", { type: "range", id, class: "scrub", step: "any", input: () => this.move(row, Number(slider.value)) });
        const field = h("input", {
            type: "text", "aria-label": `Value of ${name}, any expression`, spellcheck: "false", autocomplete: "off",
            change: () => this.type(row),
        });
        // What is made of others follows from these, and moves with them.
        const element = h("div", { class: parameter.derived ? "slider derived" : "slider" }, h("label", { for: id }, h("code", { dir: "auto" }, name)), slider, field);
        const row: Row = { parameter, slider, field, element };
        const [low, high] = range(value);
        slider.min = String(low);
        slider.max = String(high);
        this.set(row, parameter);
        const given = this.values.get(name);
        if (given !== undefined) this.show(row, given, value);
        return row;
    }

    private set(row: Row, parameter: Parameter): void {
        const { value } = parameter;
        row.parameter = parameter;
        if (value < Number(row.slider.min)) row.slider.min = String(value);
        if (value > Number(row.slider.max)) row.slider.max = String(value);
        row.slider.value = String(value);
        row.field.value = String(Number(value.toPrecision(12)));
        row.element.classList.remove("moved");
        this.tint(row);
    }

    private tint({ slider }: Row): void {
        const [low, high] = [Number(slider.min), Number(slider.max)];
        slider.style.setProperty("--part", `${high > low ? (100 * (Number(slider.value) - low)) / (high - low) : 0}%`);
        slider.setAttribute("aria-valuetext", number(Number(slider.value)));
    }

    // What counts something stays whole.
    private move(row: Row, value: number): void {
        const [low, high] = [Number(row.slider.min), Number(row.slider.max)];
        const whole = row.parameter.whole && Number.isInteger(row.parameter.value);
        const step = whole ? 1 : roundStep((high - low) / 500);
        const rounded = Number((Math.round(value / step) * step).toPrecision(12));
        this.take(row, String(rounded), rounded);
    }

    private type(row: Row): void {
        const text = row.field.value.trim();
        if (text === "") {
            this.values.delete(row.parameter.name);
            this.set(row, row.parameter);
            this.tell();
            this.moved();
            return;
        }
        const value = Number(text);
        if (Number.isFinite(value)) {
            if (value < Number(row.slider.min)) row.slider.min = text;
            if (value > Number(row.slider.max)) row.slider.max = text;
            row.slider.value = text;
        }
        this.take(row, text, value);
    }

    private take(row: Row, text: string, value: number): void {
        this.values.set(row.parameter.name, text);
        this.show(row, text, value);
        this.tell();
        this.moved();
    }

    private show(row: Row, text: string, value: number): void {
        row.field.value = text !== "" && Number.isFinite(Number(text)) ? String(value) : text;
        row.element.classList.add("moved");
        this.tint(row);
    }

    // All values anew.
    give(values: ReadonlyMap<string, string>): void {
        this.values.clear();
        for (const [name, value] of values) this.values.set(name, value);
        for (const row of this.rows) {
            const given = values.get(row.parameter.name);
            this.set(row, given === undefined ? row.parameter : { ...row.parameter, value: Number(given) });
            if (given !== undefined) this.show(row, given, Number(given));
        }
        this.tell();
    }

    // Another model: nothing of this one.
    forget(): void {
        this.values.clear();
        this.rows = [];
        this.body.replaceChildren();
        this.tell();
    }

    private clear(): void {
        this.values.clear();
        this.tell();
        for (const row of this.rows) row.element.classList.remove("moved");
        this.moved();
    }
}

// From nothing to twice the value; one on both sides of zero.
export function range(value: number): [number, number] {
    if (!Number.isFinite(value) || value === 0) return [-1, 1];
    return value > 0 ? [0, 2 * value] : [2 * value, 0];
}

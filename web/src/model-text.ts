// The text of the model, highlighted, with line numbers.
import { h } from "./dom";
import { highlight } from "./highlight";

const LONGEST = 400_000; // characters; beyond, colours would cost more than they give

export function modelText(text: string): HTMLElement {
    const code = h("code");
    if (text.length > LONGEST) code.append(text);
    else
        for (const token of highlight(text))
            code.append(token.category === "" ? token.text : h("span", { class: `tok-${token.category}` }, token.text));
    const lines = text.replace(/\n$/, "").split("\n").length;
    const numbers = h("span", { class: "line-numbers", "aria-hidden": "true" }, Array.from({ length: lines }, (_, i) => i + 1).join("\n"));
    return h("pre", { class: "model", tabindex: 0, role: "region", "aria-label": "Model text" }, numbers, code);
}

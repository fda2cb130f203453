// The equations' MathML as elements, made one by one from what mathml-text.ts lets through.
import { shortened } from "./format";
import { parseMathml, type MathNode } from "./mathml-text";

const NAMESPACE = "http://www.w3.org/1998/Math/MathML";

export function readMathml(text: string): Element[] {
    return parseMathml(text).map(build);
}

function build(node: MathNode): Element {
    const element = document.createElementNS(NAMESPACE, node.name);
    for (const [name, value] of node.attributes) element.setAttribute(name, value);
    for (const child of node.children) element.append(typeof child !== "string" ? build(child) : node.name === "mn" ? shortened(child) : child);
    return element;
}

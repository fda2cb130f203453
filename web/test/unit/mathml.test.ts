import { describe, expect, test } from "vitest";
import { parseMathml, type MathNode } from "../../src/mathml-text";

const show = (node: MathNode | string): string =>
    typeof node === "string" ? node : `<${node.name}${node.attributes.map(([n, v]) => ` ${n}="${v}"`).join("")}>${node.children.map(show).join("")}</${node.name}>`;
const LONG = 100_000;
const pass = (text: string): string => parseMathml(text).map(show).join("");

describe("MathML", () => {
    test("what is allowed passes unchanged", () => {
        const text = '<math display="block"><mrow><msub><mi>x</mi><mn>1</mn></msub><mo stretchy="false">=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></mrow></math>';
        expect(pass(text)).toBe(text);
    });
    test("several formulas, empty elements, comments, a namespace", () => {
        expect(pass('<math xmlns="http://www.w3.org/1998/Math/MathML"><mspace width="1em"/></math> and <!-- <math> --><math><mi>y</mi></math>'))
            .toBe('<math><mspace width="1em"></mspace></math><math><mi>y</mi></math>');
    });
    test("entities become characters, unknown ones stay", () => {
        expect(pass("<math><mi>&lt;b&gt; &#955;&#x3bb;&InvisibleTimes;&nope;&#0;</mi></math>")).toBe("<math><mi><b> λλ\u2062&nope;&#0;</mi></math>");
    });
    test.each([
        ["a script", "<math><script>alert(1)</script><mi>x</mi></math>", "<math><mi>x</mi></math>"],
        ["an image", "<math><mtext><img src=x onerror=alert(1)></mtext></math>", "<math><mtext></mtext></math>"],
        ["a handler", '<math><mi onclick="alert(1)">x</mi></math>', "<math><mi>x</mi></math>"],
        ["a style", '<math style="x"><mi style="color:red">x</mi></math>', "<math><mi>x</mi></math>"],
        ["a link", '<math><mi href="javascript:alert(1)" xlink:href="x">x</mi></math>', "<math><mi>x</mi></math>"],
        ["an annotation", '<math><annotation-xml encoding="text/html"><svg onload=alert(1)/><mi>q</mi></annotation-xml><mi>x</mi></math>', "<math><mi>x</mi></math>"],
        ["an action", '<math><maction actiontype="statusline"><mi>a</mi></maction><mi>x</mi></math>', "<math><mi>x</mi></math>"],
        ["capitals", "<MATH><mi>x</mi></MATH>", ""],
        ["a wrong value", '<math display="block&quot; onload=&quot;x"><mi mathvariant="url(x)">x</mi></math>', "<math><mi>x</mi></math>"],
        ["a name of every object", '<math constructor="x" __proto__="y"><mi>x</mi></math>', "<math><mi>x</mi></math>"],
        ["formulas in formulas", "<math><math><mi>a</mi></math><mi>x</mi></math>", "<math><mi>x</mi></math>"],
        ["text outside", "hello <b>bold</b>", ""],
        ["a lone bracket", "<math><mo><</mo><mi>x</mi></math>", "<math><mo><</mo><mi>x</mi></math>"],
        ["an open comment", "<math><mi>x</mi><!-- <mi>y</mi></math>", "<math><mi>x</mi></math>"],
    ])("%s is left out", (_what, text, rest) => expect(pass(text)).toBe(rest));
    test("depth has an end", () => {
        expect(() => pass("<math>" + "<mrow>".repeat(100_000))).not.toThrow();
    });
    // Work that grows with the cube of the length, or faster, would never end; such is a regular expression gone wrong.
    test("a hostile text takes no long time", () => {
        expect(pass("<math " + 'a="b" '.repeat(LONG))).toBe("");
        expect(pass("<math" + " a".repeat(LONG))).toBe("");
        expect(pass("<".repeat(LONG))).toBe("");
    });
});

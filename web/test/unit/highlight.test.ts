import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { highlight } from "../../src/highlight";

const of = (text: string, category: string): string[] => highlight(text).filter((t) => t.category === category).map((t) => t.text);

describe("highlighting", () => {
    test("keywords are special only where a statement starts", () => {
        expect(of("mass x = 2\ncoord mass\nkinetic mass*x'^2", "keyword")).toEqual(["mass", "coord", "kinetic"]);
    });
    test("a statement goes on after an operator, a comma, and in brackets", () => {
        expect(of("param a = 1,\n  mass = 2\nlet f = (1 +\n force)", "keyword")).toEqual(["param", "let"]);
    });
    test("words of one statement", () => {
        expect(of("simulate until 1, every 2\nexpect always x < 1 and y > 2\nfor i in 1..3: coord until", "keyword"))
            .toEqual(["simulate", "until", "every", "expect", "always", "and", "for", "in", "coord"]);
    });
    test("loops in braces", () => expect(of("for i in 1..3 { mass x[i] = 1 }", "keyword")).toEqual(["for", "in", "mass"]));
    test("numbers, and ranges that are none", () => expect(of("1..5 2.5 .5 1e-3 1E3 7", "number")).toEqual(["1", "5", "2.5", ".5", "1e-3", "1E3", "7"]));
    test("comments and texts", () => {
        expect(of('title "a # b" # c "d"\nx', "comment")).toEqual(['# c "d"']);
        expect(of('title "a # b" # c', "string")).toEqual(['"a # b"']);
        expect(of('x = 1 # constraint c: "d"', "keyword")).toEqual([]);
    });
    test("declared names, functions, results", () => {
        const text = "constraint rod: norm(x) = L\noutput force = reaction(y)";
        expect(of(text, "declaration")).toEqual(["rod", "force"]);
        expect(of(text, "function")).toEqual(["norm"]);
        expect(of(text, "result")).toEqual(["reaction"]);
    });
    test("the tokens are the text, whatever it is", () => {
        for (const text of ["</script>", "${x}`", "\u202e\u{1f600}\ud800", "\"", "'", "\\", "\u0000", "a\r\nb", "\n\n", ""])
            expect(highlight(text).map((t) => t.text).join("")).toBe(text);
    });
    test("the shipped models: nothing lost, every statement known", () => {
        const models = new URL("../../../models/", import.meta.url);
        for (const folder of ["classics", "mechanisms", "benchmarks", "papers"])
            for (const file of readdirSync(new URL(`${folder}/`, models)).filter((name) => name.endsWith(".tram"))) {
                const text = readFileSync(new URL(`${folder}/${file}`, models), "utf8");
                const tokens = highlight(text);
                expect(tokens.map((t) => t.text).join("")).toBe(text);
                expect(tokens.find((t) => t.category !== "comment" && t.text.trim() !== "")?.category, file).toBe("keyword");
            }
    });
});

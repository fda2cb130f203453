// Splits the text of a model into tokens for highlighting. Every character belongs to one token, so the tokens put
// together are the text again, whatever it is.

export type Category =
    "comment" | "string" | "number" | "keyword" | "function" | "constant" | "result" | "operator" | "declaration" | "name" | "space" | "other";

export interface Token { category: Category; text: string }

const words = (text: string): Set<string> => new Set(text.split(" "));

// Special only where a statement starts.
const STATEMENTS = words("title param coord let quasi kinetic potential dissipation force mass constraint control nonideal initial " +
    "output expect plot draw simulate stop for include gravity particle body body2 torque spring joint friction");
// And what may follow in the same statement.
const INSIDE: Partial<Record<string, Set<string>>> = {
    expect: words("always finally"), stop: words("when"), for: words("in"), plot: words("vs"), force: words("at"),
    simulate: words("until from every tolerance"),
    draw: words("line circle trace arrow box spring point text sphere cylinder ellipsoid"),
};
const LOGIC = words("and or not");
const NAMING = words("constraint control particle body body2 spring joint output quasi");
const FUNCTIONS = words("sin cos tan asin acos atan sinh cosh tanh exp log sqrt abs sign floor atan2 min max if dot cross norm sum product " +
    "point vector omega angle displacement revolute spherical fixed prismatic cylindrical universal planar distance rolling gear rack " +
    "rod box sphere cylinder disk");
const RESULTS = words("kinetic potential energy jacobi residual multiplier reaction control feedback feedforward power gaussian rank start torque drive");
const CONSTANTS = words("t pi deg ground");

const PATTERN = /(#[^\n]*)|("[^"\n]*"?)|((?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\s+)|(\.\.|[<>=!]=|[-+*/^'=<>~])|([^])/g;

export function tokenize(text: string): Token[] {
    const tokens: Token[] = [];
    let open = 0; // brackets
    let start = true; // a statement may start here
    let statement = "";
    let naming = false; // the next name is declared
    let last = ""; // token that is not space or comment
    for (const match of text.matchAll(PATTERN)) {
        const all = match[0];
        const [, comment, string, numeral, word, space, operator] = match as (string | undefined)[];
        let category: Category = "other";
        if (comment !== undefined) category = "comment";
        else if (string !== undefined) category = "string";
        else if (numeral !== undefined) category = "number";
        else if (space !== undefined) {
            category = "space";
            // A new line is a new statement unless a bracket is open or the line ends with what wants more.
            if (all.includes("\n") && open === 0 && (last === "" || !/^([-+*/^=<>~,:]|\.\.|[<>=!]=|and|or|not)$/.test(last))) {
                start = true;
                statement = "";
                naming = false;
            }
        } else if (word !== undefined) {
            const after = /\S|$/.exec(text.slice(match.index + all.length, match.index + all.length + 40))?.[0] ?? "";
            category = wordCategory(word, { start, statement, naming, call: after === "(" });
            if (start && category === "keyword") {
                statement = word;
                naming = NAMING.has(word);
            } else {
                naming = false;
            }
            start = false;
        } else if (operator !== undefined) category = "operator";
        if (category === "other") {
            if (all === "(" || all === "[") open++;
            if (all === ")" || all === "]") open = Math.max(0, open - 1);
            if (all === "{" || all === "}" || (all === ":" && statement === "for")) start = true;
        } else if (category !== "space" && category !== "comment") {
            start = false;
        }
        if (category !== "space" && category !== "comment") last = all;
        tokens.push({ category, text: all });
    }
    return tokens;
}

function wordCategory(word: string, where: { start: boolean; statement: string; naming: boolean; call: boolean }): Category {
    if (where.start && STATEMENTS.has(word)) return "keyword";
    if (LOGIC.has(word) || INSIDE[where.statement]?.has(word)) return "keyword";
    if (where.naming) return "declaration";
    if (RESULTS.has(word)) return "result";
    if (where.call && FUNCTIONS.has(word)) return "function";
    if (CONSTANTS.has(word)) return "constant";
    return "name";
}

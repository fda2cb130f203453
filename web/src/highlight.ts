// Colours the text of a model by the grammar that editors use. Of TextMate's language this reads what that grammar needs:
// patterns within a line, with a name for all of the match or for its groups. Every character belongs to one token, so the
// tokens put together are the text again, whatever it is.
import grammar from "../../editors/trammel.tmLanguage.json";

export interface Token { category: string; text: string } // category "" is plain

interface Rule { name?: string; match?: string; captures?: Record<string, { name: string }>; patterns?: Rule[]; include?: string }
interface Pattern { find: RegExp; name: string; groups: [number, string][] }

// What names in the grammar are called in the style sheet; the first that fits.
const CATEGORIES: [scope: string, category: string][] = [
    ["comment", "comment"], ["string", "string"], ["constant.numeric", "number"], ["constant", "constant"],
    ["keyword.operator.logical", "keyword"], ["keyword.operator", "operator"], ["keyword", "keyword"],
    ["entity.name", "declaration"], ["support.function.result", "result"], ["variable.language", "result"],
    ["support", "function"],
];

function category(scope: string): string {
    return CATEGORIES.find(([start]) => scope.startsWith(start))?.[1] ?? "";
}

function patternsOf(rule: Rule): Pattern[] {
    if (rule.include !== undefined) return patternsOf((grammar.repository as Record<string, Rule>)[rule.include.slice(1)]);
    const within = (rule.patterns ?? []).flatMap(patternsOf);
    if (rule.match === undefined) return within;
    const groups = Object.entries(rule.captures ?? {}).map(([n, { name }]): [number, string] => [Number(n), category(name)]);
    return [{ find: new RegExp(rule.match, "dgm"), name: category(rule.name ?? ""), groups }, ...within];
}

// Browsers before 2023 may not know what the patterns use: their text is plain.
function readGrammar(): Pattern[] {
    try {
        return patternsOf({ patterns: grammar.patterns });
    } catch {
        return [];
    }
}

const PATTERNS = readGrammar();

// The earliest match from a place on, the first pattern if there are several. What a pattern found last still holds until
// the place is beyond it.
function next(line: string, from: number, found: (RegExpExecArray | null | undefined)[]): { match: RegExpExecArray; pattern: Pattern } | null {
    let best = -1;
    PATTERNS.forEach(({ find }, k) => {
        let match = found[k];
        if (match === undefined || (match && match.index < from)) {
            find.lastIndex = from;
            match = find.exec(line);
            found[k] = match;
        }
        if (match && match[0] !== "" && (best < 0 || match.index < found[best]!.index)) best = k;
    });
    return best < 0 ? null : { match: found[best]!, pattern: PATTERNS[best] };
}

function highlightLine(line: string, out: Token[]): void {
    const found: (RegExpExecArray | null | undefined)[] = [];
    let done = 0;
    const put = (until: number, as: string): void => {
        if (until > done) out.push({ category: as, text: line.slice(done, until) });
        done = Math.max(done, until);
    };
    for (let hit = next(line, 0, found); hit; hit = next(line, done, found)) {
        const { match, pattern } = hit;
        put(match.index, "");
        for (const [group, as] of pattern.groups) {
            const place = match.indices?.[group];
            if (!place) continue;
            put(place[0], pattern.name);
            put(place[1], as);
        }
        put(match.index + match[0].length, pattern.name);
    }
    put(line.length, "");
}

export function highlight(text: string): Token[] {
    const tokens: Token[] = [];
    for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) highlightLine(line, tokens);
    return tokens;
}

// A Vite plugin that puts script and styles into the HTML file and names it page.html.
//
// - The policy in the head allows exactly that one script, by its hash: whatever text a model smuggles in, the browser
//   runs nothing else but the engine, which is no script. It also forbids every connection but to the server the page came
//   from.
// - The C program finds the place for the data by the exact text DATA, so it must be there exactly once.
// - The licences of what is inside travel with it, in a comment.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { Plugin } from "vite";

const DATA = '<script type="application/json" id="data">null</script>';

const INSIDE: [name: string, licence: string][] = [
    ["three.js", "three/LICENSE"],
    ["uPlot", "uplot/LICENSE"],
    ["Source Serif 4", "@fontsource-variable/source-serif-4/LICENSE"],
    ["Source Sans 3", "@fontsource-variable/source-sans-3/LICENSE"],
    ["STIX Two Math", "@fontsource/stix-two-math/LICENSE"],
];

// The models of this repository, for the menu of the playground: data for a script element. Those that need other files than
// their text are left out.
function models(): { name: string; title: string; text: string }[] {
    const root = new URL("../../models/", import.meta.url);
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tram")).sort();
    return files.flatMap((name) => {
        const text = readFileSync(new URL(name, root), "utf8");
        return /\bmesh = "/.test(text) ? [] : { name: name.replace(/\\/g, "/"), title: /^title "([^"]*)"/m.exec(text)?.[1] ?? name, text };
    });
}

function licences(): string {
    const texts = INSIDE.map(([name, file]) => {
        const text = readFileSync(new URL(`../node_modules/${file}`, import.meta.url), "utf8");
        return `${name}\n\n${text.replace(/\r/g, "").trim()}`;
    });
    // Two dashes would end a comment in some parsers.
    return `<!--\nInside this file:\n\n${texts.join("\n\n\n")}\n-->\n`.replace(/--+(?!>)(?<!<!--)/g, "-");
}

function policy(script: string): string {
    const hash = createHash("sha256").update(script, "utf8").digest("base64");
    const rules = [
        "default-src 'none'",
        `script-src 'sha256-${hash}' 'wasm-unsafe-eval'`,
        "worker-src blob:",
        "style-src 'unsafe-inline'",
        "font-src data:",
        "img-src data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    ];
    return `<meta http-equiv="Content-Security-Policy" content="${rules.join("; ")}">`;
}

export function onePage(): Plugin {
    return {
        name: "one-page",
        enforce: "post",
        apply: "build",
        generateBundle(_options, bundle) {
            let html = "";
            let script = "";
            let style = "";
            for (const [file, part] of Object.entries(bundle)) {
                if (part.type === "chunk") script += part.code;
                else if (file.endsWith(".css")) style += part.source.toString();
                else if (file.endsWith(".html")) html = part.source.toString();
                else throw new Error(`one-page: ${file} would be a second file`);
                // Rollup's bundle is a plain object, and deleting is how a plugin drops a file.
                // eslint-disable-next-line @typescript-eslint/no-dynamic-delete
                delete bundle[file];
            }
            // Inside a script element only these two sequences matter to the HTML parser.
            script = "\n" + script.replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--").replace(/\r/g, "");
            style = style.replace(/<\/style/gi, "<\\/style");
            html = html
                .replace(/\s*<script type="module"[^>]*src=[^>]*><\/script>/, "")
                .replace(/\s*<link rel="stylesheet"[^>]*>/, "");
            html = html.replace('<meta charset="utf-8">', () => `<meta charset="utf-8">\n${policy(script)}`);
            html = html.replace("</head>", () => `<style>${style}</style>\n</head>`);
            html = html.replace("</body>", () => `<script type="module">${script}</script>\n${licences()}</body>`);
            if (html.split(DATA).length !== 2) throw new Error("one-page: the place for the data must be there exactly once");
            this.emitFile({ type: "asset", fileName: "page.html", source: html });
            this.emitFile({ type: "asset", fileName: "models.json", source: JSON.stringify(models()).replace(/</g, "\\u003c") });
        },
    };
}

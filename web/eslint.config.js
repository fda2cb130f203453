import tseslint from "typescript-eslint";

export default tseslint.config(
    { ignores: ["dist/", "node_modules/", "eslint.config.js"] },
    ...tseslint.configs.strictTypeChecked,
    {
        languageOptions: { parserOptions: { projectService: true } },
        rules: {
            // Text of a model reaches the page as text nodes only.
            "no-restricted-properties": [
                "error",
                { property: "innerHTML", message: "Text goes in as text nodes; MathML through mathml.ts." },
                { property: "outerHTML", message: "Text goes in as text nodes; MathML through mathml.ts." },
                { property: "insertAdjacentHTML", message: "Text goes in as text nodes; MathML through mathml.ts." },
                { object: "document", property: "write" },
            ],
            eqeqeq: "error",
            "@typescript-eslint/no-non-null-assertion": "off",
            "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
            "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
        },
    },
);

// Builds the page: one HTML file with script, styles and fonts inside, dist/page.html.
import { defineConfig } from "vite";
import { onePage } from "./build/one-page";

export default defineConfig({
    base: "./",
    plugins: [onePage()],
    build: {
        target: "es2020",
        emptyOutDir: false, // scripts/wasm puts the engine there
        assetsInlineLimit: 1 << 24, // fonts become data: addresses
        cssCodeSplit: false,
        modulePreload: false,
        reportCompressedSize: false,
        chunkSizeWarningLimit: 2000,
    },
    server: { host: "127.0.0.1" },
});

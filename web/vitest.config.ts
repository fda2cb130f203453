// Tests of the pure parts; those in a browser are in vitest.browser.config.ts.
import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["test/unit/*.test.ts"] } });

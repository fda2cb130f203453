// Tests of the pure parts; those in a browser are in vitest.browser.config.ts.
import { defineConfig } from "vitest/config";

// The time-out only ends what would never end.
export default defineConfig({ test: { include: ["test/unit/*.test.ts"], testTimeout: 600_000, hookTimeout: 600_000 } });

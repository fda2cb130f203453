// Tests in Chromium, one after the other: they share its time.
import { defineConfig } from "vitest/config";

export default defineConfig({
    test: { include: ["test/browser/*.test.ts"], globalSetup: "test/setup.ts", fileParallelism: false, testTimeout: 60_000, hookTimeout: 60_000 },
});

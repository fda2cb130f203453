// Tests in Chromium, one after the other: they share its time. Time-outs only end what would never end.
import { defineConfig } from "vitest/config";

export default defineConfig({
    test: { include: ["test/browser/*.test.ts"], globalSetup: "test/setup.ts", fileParallelism: false, testTimeout: 600_000, hookTimeout: 600_000 },
});

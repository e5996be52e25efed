import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/smoke/**", "node_modules/**"],
    // Against a hang only: no test depends on time, and a busy machine is not a failure.
    testTimeout: 60_000,
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts", "rules/**/*.ts"],
      exclude: ["rules/*/cases.ts", "src/cli/bin.ts"],
      reporter: ["text-summary"],
    },
  },
});

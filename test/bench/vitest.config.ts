import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/bench/*.bench.ts"],
    testTimeout: 3_600_000,
    fileParallelism: false,
    disableConsoleIntercept: true,
  },
});

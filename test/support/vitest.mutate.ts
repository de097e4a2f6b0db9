import { defineConfig } from 'vitest/config';

/** Mutation tests run the unit tests alone: a mutant that only a whole-system test kills is a unit test to write. */
export default defineConfig({
  test: { include: ['test/unit/**/*.test.ts'], exclude: ['test/unit/scripts/**', 'test/unit/executors/plan/cost.test.ts'], testTimeout: 20_000, pool: 'forks' },
});

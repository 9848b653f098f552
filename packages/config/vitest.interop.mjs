import { defineConfig } from 'vitest/config';

/** The systems themselves, got from the registry when it runs: one file after the other, because they start programs. */
export default defineConfig({
  test: {
    include: ['interop/**/*.interop.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 600_000,
    pool: 'forks',
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/interop-results.json' }]],
  },
});

import { defineConfig } from 'vitest/config';

/** Bounds of time and memory, and tests at full size: one file after the other, because they measure. */
export default defineConfig({
  test: {
    include: ['scale/**/*.scale.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    pool: 'forks',
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/scale-results.json' }]],
  },
});

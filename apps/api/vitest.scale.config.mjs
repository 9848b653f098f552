import { defineConfig } from 'vitest/config';

/** Tests at full size against the built command; one after the other, because they measure. */
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

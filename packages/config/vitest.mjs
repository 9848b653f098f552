import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'test/**/*.test.ts', '*.test.ts', '*.test.mjs'],
    testTimeout: 30_000,
    pool: 'forks',
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/test-*.ts', '**/testing/**', '**/fixtures/**'],
      reporter: ['text'],
    },
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/test-results.json' }]],
  },
});

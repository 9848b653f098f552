import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'test/**/*.test.ts', '*.test.ts', '*.test.mjs'],
    // Long enough for a busy machine: a test waits for what it wants, and is not held to a time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // Loading the modules again for each file took more than half of the time.
    isolate: false,
    setupFiles: [fileURLToPath(new URL('after-file.mjs', import.meta.url))],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/test-*.ts', '**/testing/**', '**/fixtures/**'],
      reporter: ['text'],
    },
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/test-results.json' }]],
  },
});

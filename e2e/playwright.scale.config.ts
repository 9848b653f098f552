import { defineConfig } from '@playwright/test';
import config from './playwright.config.ts';

/** How long the page takes: one test after the other, because they measure. */
export default defineConfig({
  ...config,
  projects: [{ name: 'scale', testDir: 'scale' }],
  testMatch: '**/*.scale.ts',
  workers: 1,
  reporter: [['list'], ['json', { outputFile: 'node_modules/.cache/scale-results.json' }]],
});

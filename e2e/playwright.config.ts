import { existsSync } from 'node:fs';
import { chromium, defineConfig, devices } from '@playwright/test';

const system = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));
const executable = process.env['CHROMIUM_PATH'] ?? (existsSync(chromium.executablePath()) ? undefined : system);

export default defineConfig({
  // The first is part of `npm test`, which has to stay quick; `npm run rounds` runs the other, and CI both.
  projects: [
    { name: 'journeys', testDir: 'specs' },
    { name: 'rounds', testDir: 'rounds' },
  ],
  // Long enough for two busy cores: a test waits for what it wants, and is not held to a time.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  // Tests of one file need nothing of each other, so no file keeps one worker waiting for the other.
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: true,
  reporter: [['list'], ['json', { outputFile: 'node_modules/.cache/test-results.json' }]],
  outputDir: 'test-results',
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1440, height: 900 },
    timezoneId: 'UTC',
    locale: 'en-GB',
    actionTimeout: 60_000,
    // No recording of what passes: run the test that failed again with `--trace on`.
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executable ? { executablePath: executable } : {}),
      // Chromium's sandbox cannot start as root.
      chromiumSandbox: process.getuid?.() !== 0,
      args: [
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});

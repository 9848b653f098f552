import { defineConfig } from 'vitest/config';

/** Takes long: its own command, `npm run faults`. */
export default defineConfig({
  test: {
    include: ['test/faults.round.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    disableConsoleIntercept: true,
  },
});

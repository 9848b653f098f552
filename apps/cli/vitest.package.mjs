import { defineConfig } from 'vitest/config';

/** Needs the registry and some minutes: its own command, `npm run package`. One file after the other: times are told. */
export default defineConfig({
  test: {
    include: ['test/{package,cookbook}.round.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});

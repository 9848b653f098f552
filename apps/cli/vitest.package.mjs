import { defineConfig } from 'vitest/config';

/** Needs the registry and a minute: its own command, `npm run package`. */
export default defineConfig({ test: { include: ['test/**/*.round.ts'], testTimeout: 300_000, hookTimeout: 300_000 } });

#!/usr/bin/env node
import { existsSync } from 'node:fs';

const built = new URL('../dist/cli.js', import.meta.url);
if (!existsSync(built)) {
  console.error('This checkout is not built yet. Run `npm start` once, then try again.');
  process.exit(1);
}
await import(built.href);

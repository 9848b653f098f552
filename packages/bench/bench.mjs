// Bundles the benchmark, because Node 20 runs no TypeScript and a test runner would be measured with it, and runs it.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const home = new URL('./', import.meta.url);
const file = new URL('node_modules/.cache/bench.mjs', home);
mkdirSync(new URL('./', file), { recursive: true });
const bundle = await rolldown({
  input: fileURLToPath(new URL('src/main.ts', home)),
  platform: 'node',
  // Peers run as their users run them.
  external: [/^@langchain\//, '@parcel/watcher', 'pg'],
  logLevel: 'silent',
});
await bundle.write({ file: fileURLToPath(file), format: 'esm', codeSplitting: false });
await bundle.close();
const { main } = await import(file.href);
process.exitCode = await main(process.argv.slice(2), home);

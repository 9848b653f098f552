/** For tests: Node 20 runs no TypeScript, so a thread or child is bundled; the bundler comes with the test runner. */
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

type Rolldown = (
  options: object,
) => Promise<{ write: (options: object) => Promise<unknown>; close: () => Promise<void> }>;

/** What reads large states in a thread of its own. */
export const STATE_WORKER = new URL('../large-states/worker.ts', import.meta.url);

/** What has the search index in a thread of its own. */
export const SEARCH_WORKER = new URL('../../../search/src/host/worker.ts', import.meta.url);

/** Writes `<name>.mjs` beside packages/io's modules, where it finds the SQLite driver. */
export async function bundleEntry(entry: URL, name: string): Promise<URL> {
  const file = new URL(`../../../io/node_modules/.cache/${name}-${process.pid}.mjs`, import.meta.url);
  const own = createRequire(import.meta.url);
  const vite = own.resolve('vite', { paths: [own.resolve('vitest')] });
  const { rolldown } = (await import(pathToFileURL(own.resolve('rolldown', { paths: [vite] })).href)) as {
    rolldown: Rolldown;
  };
  const input = fileURLToPath(entry);
  const build = await rolldown({ input, platform: 'node', external: ['@parcel/watcher'], logLevel: 'silent' });
  await build.write({ file: fileURLToPath(file), format: 'esm', codeSplitting: false });
  await build.close();
  return file;
}

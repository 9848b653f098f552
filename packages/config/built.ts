import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/**
 * The modules of an entry as users run them, in one file: as tests run them they are up to twice as slow.
 * @example const { diffJson } = await built<typeof import('@checkpoint-inspector/core')>('@checkpoint-inspector/core');
 */
export async function built<Exports>(entry: string): Promise<Exports> {
  // What lies in node_modules is imported as it is.
  const file = join(process.cwd(), 'node_modules/.cache/built', `${entry.replaceAll(/\W+/g, '-')}.mjs`);
  const bundle = await rolldown({ input: entry, platform: 'node' });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Exports;
}

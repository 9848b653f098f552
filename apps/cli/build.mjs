// Bundles the command and the library entries, and puts the built web app beside them.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const here = import.meta.dirname;
const web = join(here, '../web/dist');
if (!existsSync(join(web, 'index.html'))) throw new Error('Build apps/web first: pnpm exec turbo run build');

rmSync(join(here, 'dist'), { recursive: true, force: true });

// Native addons stay outside: they are found at run time.
const external = [/^node:/, 'better-sqlite3', 'better-sqlite3-napi', '@parcel/watcher'];

async function bundle(input, folder, options = {}) {
  const build = await rolldown({ input, platform: 'node', external: [...external, ...(options.external ?? [])], logLevel: 'warn' });
  await build.write({ dir: join(here, folder), format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js', sourcemap: false });
  await build.close();
}

await bundle({ cli: join(here, 'src/main.ts') }, 'dist');
cpSync(web, join(here, 'dist/web'), { recursive: true });

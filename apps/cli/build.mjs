// Bundles the command and the library entries, writes their types, and puts the built web app beside them.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { packageFolders, thirdPartyNotices } from './notices.mjs';

const here = import.meta.dirname;
const root = join(here, '../..');
const web = join(here, '../web/dist');
/** The modules of the page, as its own build lists them. */
const BUNDLED = join(web, 'bundled.json');

/** Entry -> source: what `exports` publishes is `src/public.ts` and the files of `src/public`. */
const library = Object.fromEntries(
  Object.values(JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')).exports)
    .flatMap(({ default: path }) => (path ? [path.slice('./dist/lib/'.length, -'.js'.length)] : []))
    .map((name) => [name, join(here, name === 'core' ? 'src/public.ts' : `src/public/${name}.ts`)]),
);
/** Native addons stay outside: they are found at run time. */
const EXTERNAL = [/^node:/, /^@langchain\//, 'better-sqlite3', 'better-sqlite3-napi', '@parcel/watcher', 'vitest'];

/** Each system in a chunk of its own: what the demo shares with it would else be put into the server's. */
const SYSTEM = /[\\/]packages[\\/]systems[\\/]src[\\/]([^\\/]+)[\\/]/;
const codeSplitting = { groups: [{ name: (id) => SYSTEM.exec(id)?.[1] ?? 'systems', test: SYSTEM }] };

/** Writes the bundle and answers which modules are in it. */
async function bundle(input, folder) {
  const build = await rolldown({ input, platform: 'node', external: EXTERNAL, logLevel: 'warn' });
  const { output } = await build.write({
    dir: join(here, folder),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting,
  });
  await build.close();
  return output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
}

/** rollup knows no packages by itself: ours are found as Node would find them. */
const ours = {
  name: 'ours',
  resolveId: (id, importer) => (id.startsWith('@checkpoint-inspector/') ? createRequire(importer).resolve(id) : null),
};

/** One declaration file per entry, docstrings included, and what several entries share beside them. */
async function writeTypes() {
  const tsconfig = join(here, 'tsconfig.json');
  // A warning names a type that a public one needs and no entry exports.
  const onwarn = ({ message }) => {
    throw new Error(message);
  };
  const build = await rollup({ input: library, external: EXTERNAL, plugins: [ours, dts({ tsconfig })], onwarn });
  await build.write({
    dir: join(here, 'dist/types'),
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: 'shared/[name].d.ts',
  });
  await build.close();
}

if (!existsSync(join(web, 'index.html'))) throw new Error('Build apps/web first: pnpm exec turbo run build');
rmSync(join(here, 'dist'), { recursive: true, force: true });
const command = await bundle(
  {
    cli: join(here, 'src/main.ts'),
    'state-worker': join(root, 'packages/inspector/src/large-states/worker.ts'),
    'store-reader': join(root, 'packages/inspector/src/reader/child.ts'),
  },
  'dist',
);
const modules = await bundle(library, 'dist/lib');
await writeTypes();
cpSync(web, join(here, 'dist/web'), { recursive: true, filter: (source) => source !== BUNDLED });
const page = JSON.parse(readFileSync(BUNDLED, 'utf8')).map((id) => join(root, id));
const notices = thirdPartyNotices(packageFolders([...command, ...modules, ...page]));
writeFileSync(join(here, 'dist/THIRD-PARTY-NOTICES.txt'), notices);

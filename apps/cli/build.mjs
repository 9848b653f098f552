// Bundles the command and the library entries, writes their types, and puts the built web app beside them.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { packageFolders, thirdPartyNotices } from './notices.mjs';

const here = import.meta.dirname;
const root = join(here, '../..');
const web = join(here, '../web/dist');
/** The modules of the page, as its own build lists them. */
const BUNDLED = join(web, 'bundled.json');

/** Public entry -> source. */
const LIBRARY = {
  core: 'packages/core/src/index.ts',
  testing: 'packages/core/src/testing/index.ts',
  inspect: 'apps/api/src/inspect.ts',
  'stores/sqlite': 'packages/stores/src/sqlite/index.ts',
  'stores/manager': 'packages/stores/src/manager.ts',
  'systems/kaizen': 'packages/systems/src/kaizen/index.ts',
  'systems/langgraph': 'packages/systems/src/langgraph/index.ts',
  'systems/ctx-sys': 'packages/systems/src/ctx-sys/index.ts',
  'systems/agent-framework': 'packages/systems/src/agent-framework/index.ts',
  'systems/rlm-act': 'packages/systems/src/rlm-act/index.ts',
};
/** Native addons stay outside: they are found at run time. */
const EXTERNAL = [/^node:/, 'better-sqlite3', 'better-sqlite3-napi', '@parcel/watcher', 'vitest'];

/** Writes the bundle and answers which modules are in it. */
async function bundle(input, folder) {
  const build = await rolldown({ input, platform: 'node', external: EXTERNAL, logLevel: 'warn' });
  const { output } = await build.write({
    dir: join(here, folder),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  await build.close();
  return output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
}

function writeTypes() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const done = spawnSync(process.execPath, [tsc, '-p', join(here, 'tsconfig.types.json')], { stdio: 'inherit' });
  if (done.status !== 0) throw new Error('The types could not be written; see above.');
  const types = join(here, 'dist/types');
  // Of the server only `inspect` is public.
  const api = join(types, 'apps/api/src');
  for (const name of readdirSync(api)) if (name !== 'inspect.d.ts') rmSync(join(api, name), { recursive: true });
  const files = readdirSync(types, { recursive: true }).map((name) => join(types, String(name)));
  for (const file of files.filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(file, 'utf8');
    const own = text.replaceAll(
      /(['"])@checkpoint-inspector\/(core|io)\1/g,
      (_, quote, name) => quote + typesOf(types, file, name) + quote,
    );
    // TypeScript leaves `.ts` in some declarations, and consumers have only `.d.ts`.
    writeFileSync(file, own.replaceAll(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, '$1$2.js$1'));
  }
}

/** In the published package our packages know each other by relative paths. */
function typesOf(types, file, name) {
  const path = relative(dirname(file), join(types, `packages/${name}/src/index.js`)).replaceAll('\\', '/');
  return path.startsWith('.') ? path : `./${path}`;
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
const library = await bundle(
  Object.fromEntries(Object.entries(LIBRARY).map(([name, source]) => [name, join(root, source)])),
  'dist/lib',
);
writeTypes();
cpSync(web, join(here, 'dist/web'), { recursive: true, filter: (source) => source !== BUNDLED });
const page = JSON.parse(readFileSync(BUNDLED, 'utf8')).map((id) => join(root, id));
const notices = thirdPartyNotices(packageFolders([...command, ...library, ...page]));
writeFileSync(join(here, 'dist/THIRD-PARTY-NOTICES.txt'), notices);

// Bundles the command and the library entries, writes their types, and puts the built web app beside them.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { removeFacades } from './facades.mjs';
import { bundledSbom, packageFolders, thirdPartyNotices } from './notices.mjs';

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

const groupOf = (test) => ({ name: (id) => test.exec(id)?.groups?.name, test });
/** Each system in a chunk of its own: what the demo shares with it would else be put into the server's. */
const SYSTEM = groupOf(/[\\/]packages[\\/]systems[\\/]src[\\/](?<name>[^\\/.]+)[\\/]/);
/** What others of our modules are in. */
const SHARED = [groupOf(/[\\/]packages[\\/](?<name>core|io)[\\/]src[\\/](?!testing)/)];
/** The shortest way to an answer: the tasks of a store of our own. What is on it is apart from what isn't. */
const SHORTEST = ['src/main.ts', 'src/commands/tasks.ts', '../../packages/stores/src/sqlite/index.ts'].map((path) =>
  join(here, path),
);
/** Its chunks: the library has no use for what only the command needs, and its core none for disks. */
const ON_THE_WAY = [
  ['first-core', /[\\/]packages[\\/]core[\\/]src[\\/]/],
  ['first-io', /[\\/]packages[\\/]io[\\/]src[\\/]/],
  ['inspector', /[\\/]packages[\\/](?:changes|inspector|systems)[\\/]src[\\/]/],
  ['command', /[\\/]apps[\\/]cli[\\/]src[\\/]|[\\/]commander[\\/]/],
];
/**
 * Reading code is most of what a small command does. The trace of an error has places, which a build of the same
 * version leads back from: names would be 22 kB of the download.
 */
const MINIFY = {
  compress: true,
  mangle: { keepNames: { function: false, class: false } },
  codegen: { removeWhitespace: true },
};

/** Of packages in two kinds of modules, the kind that a bundler can leave parts of out. */
const RESOLVE = {
  mainFields: ['module', 'main'],
  alias: { yaml: join(root, 'packages/apis/node_modules/yaml/browser/index.js') },
};

const notHere = (what, names) =>
  `const none = () => { throw new Error('${what} is not in this bundle'); };\nexport { ${names.map((name) => `none as ${name}`)} };`;
const ZOD_COMPILE = ['INVALID', 'compile', 'withParser', 'ZodCompileAsyncError', 'ZodCompileUnsupportedError'];
/** A kind of value that stays as it is written. */
const asWritten = (names, more = '') =>
  `export const ${names.map((name) => `${name} = { tag: 'tag:yaml.org,2002:${name}', ${more}default: false, resolve: (value) => value }`).join(', ')};`;
/** What packages bring for programs other than ours, by module. */
const LEFT_OUT = [
  // Messages in fifty languages, each kept because a program could ask for it by name. Ours are English.
  [/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/, "export { default as en } from './en.js';"],
  // A compiler of schemas, and a reader of those that are JSON: kept for the same reason.
  [/[\\/]zod[\\/]v4[\\/]core[\\/]compile\.js$/, notHere('zod/compile', ZOD_COMPILE)],
  [/[\\/]zod[\\/]v4[\\/]classic[\\/]from-json-schema\.js$/, notHere('zod', ['fromJSONSchema'])],
  // What is checked was JSON, or parts of an address, and never contains itself.
  [
    /[\\/]zod[\\/]v4[\\/]core[\\/]memoizer\.js$/,
    `${notHere('zod', ['$ZodCyclicError', 'isBackEdge', 'isRecursiveSchema'])}\nexport const memoizer = () => undefined;`,
  ],
  // The protocol's library takes schemas of two versions of zod, and checks forms that a person filled in for a tool.
  // Our schemas are of version 4, our tools check their arguments themselves, and they have no forms.
  [/[\\/]zod[\\/]v3[\\/]index\.js$/, notHere('zod 3', ['object'])],
  [/[\\/]zod-to-json-schema[\\/]/, notHere('zod 3', ['zodToJsonSchema'])],
  [/[\\/]validation[\\/]ajv-provider\.js$/, 'export class AjvJsonSchemaValidator {}'],
  // Tools that run on after their call are an experiment of the protocol's, and none of ours is one.
  [/[\\/]experimental[\\/]tasks[\\/]server\.js$/, 'export class ExperimentalServerTasks {}'],
  // The browser that opens the page is the one that the system opens pages with: nobody has to find out which that is.
  [
    /[\\/]default-browser[\\/]index\.js$/,
    "export default async () => ({ id: '' });\nexport const _windowsBrowserProgIdMap = new Map();",
  ],
  // The driver of PostgreSQL reads values as text unless it is told otherwise.
  [/[\\/]pg-types[\\/]lib[\\/]binaryParsers\.js$/, 'module.exports = { init() {} };'],
  // Configuration is read as YAML and never written; only a key that is a list or a mapping would be.
  ...Object.entries({
    stringify: ['createStringifyContext', 'stringify'],
    stringifyCollection: ['stringifyCollection'],
    stringifyComment: ['indentComment', 'lineComment', 'stringifyComment'],
    stringifyDocument: ['stringifyDocument'],
    stringifyPair: ['stringifyPair'],
    stringifyString: ['stringifyString'],
  }).map(([module, names]) => [
    new RegExp(String.raw`[\\/]yaml[\\/].*[\\/]stringify[\\/]${module}\.js$`),
    notHere('A key of several values', names),
  ]),
  // Nor has it values that only the older YAML knows.
  ...Object.entries({
    binary: asWritten(['binary']),
    omap: asWritten(['omap'], "collection: 'seq', "),
    pairs: asWritten(['pairs'], "collection: 'seq', "),
    set: asWritten(['set'], "collection: 'map', "),
    timestamp: asWritten(['intTime', 'floatTime', 'timestamp']),
  }).map(([module, text]) => [new RegExp(String.raw`[\\/]yaml[\\/].*[\\/]yaml-1\.1[\\/]${module}\.js$`), text]),
  // Nobody asks PostgreSQL to bind a password to the certificate.
  [/[\\/]pg[\\/]lib[\\/]crypto[\\/]cert-signatures\.js$/, 'module.exports = {};'],
  // A client of PostgreSQL that is compiled, and isn't among what we install.
  [/[\\/]pg[\\/]lib[\\/]native[\\/]index\.js$/, "module.exports = require('../client');"],
];
/** Calls that are given all of a package for a part of it, and what they need. */
const GIVEN_LESS = [
  [
    /[\\/]zod-openapi[\\/]dist[\\/]index\.mjs$/,
    'extendZodWithOpenApi(z)',
    'extendZodWithOpenApi({ ZodType: z.ZodType })',
  ],
  // The page is told of changes by events that the server sends, and there are no sockets.
  [/[\\/]node-server[\\/]dist[\\/]index\.mjs$/, '\t\tsetupWebSocket({', '\t\tvoid ({'],
];
/** The protocol's messages, of which we speak some: each schema is made by calls, which a bundler has to keep. */
const MESSAGES = /[\\/]sdk[\\/]dist[\\/]esm[\\/]types\.js$/;
const SCHEMA = /^((?:export )?const \w+ = )(z\.[^]*?|\w+Schema\.[^]*?);$(?=\n(?:export|const|function|class|\/))/gm;
const droppable = (code) => code.replaceAll(SCHEMA, '$1/* @__PURE__ */ (() => $2)();');

const WITHOUT_UNUSED = {
  name: 'without-unused',
  load: (id) => LEFT_OUT.find(([module]) => module.test(id))?.[1] ?? null,
  transform(code, id) {
    if (MESSAGES.test(id)) return droppable(code);
    const [, call, less] = GIVEN_LESS.find(([module]) => module.test(id)) ?? [];
    if (call === undefined) return null;
    if (!code.includes(call)) throw new Error(`${id} no longer calls ${call}; look at what it is given now.`);
    return code.replace(call, less);
  },
};

/** What answers in the page when it is a file. It is in the package once, and makes do without Node. */
const VIEWER = join(here, '../web/src/lib/viewer/start.ts');
const linksOf = (part) => [...part.imports, ...part.dynamicImports];

/** The names of all parts that are loaded with the entries of these sources. */
function reachedFrom(sources, output, linksIn) {
  const parts = new Map(output.map((part) => [part.fileName, part]));
  const reached = new Set();
  const reach = (name) => {
    if (reached.has(name)) return;
    reached.add(name);
    const part = parts.get(name);
    if (part !== undefined) for (const link of linksIn(part)) reach(link);
  };
  for (const { facadeModuleId, fileName } of output) if (sources.includes(facadeModuleId)) reach(fileName);
  return reached;
}

/** The modules between those; known once a bundle is made that is split by who needs what. */
function modulesFrom(sources, output, linksIn) {
  const reached = reachedFrom(sources, output, linksIn);
  const ids = output.flatMap((part) => (reached.has(part.fileName) ? part.moduleIds : []));
  return new Set(ids.filter((id) => !sources.includes(id)));
}

/** @throws Error, where the page as a file would ask for what no browser has */
function assertForBrowsers(output) {
  const known = new Set(output.map(({ fileName }) => fileName));
  const foreign = [...reachedFrom([VIEWER], output, linksOf)].filter((name) => !known.has(name));
  if (foreign.length > 0) throw new Error(`The page as a file would ask for ${foreign.join(', ')}.`);
}

const splitInto = (...groups) => ({ includeDependenciesRecursively: false, groups });

/** Writes all entries as one bundle, so that nothing is in the package twice, and answers which modules are in it. */
async function bundle(input) {
  const build = await rolldown({
    input,
    platform: 'node',
    external: EXTERNAL,
    resolve: RESOLVE,
    plugins: [WITHOUT_UNUSED],
    logLevel: 'warn',
    preserveEntrySignatures: 'allow-extension',
  });
  const bySystem = await build.generate({ format: 'esm', codeSplitting: splitInto(SYSTEM) });
  const shortest = modulesFrom(SHORTEST, bySystem.output, ({ imports }) => imports);
  const byUse = await build.generate({ format: 'esm' });
  const inViewer = modulesFrom([VIEWER], byUse.output, linksOf);
  /** What needs a disk is apart from what doesn't. */
  const view = { name: (id) => (inViewer.has(id) && SYSTEM.name(id) ? `${SYSTEM.name(id)}-view` : undefined) };
  const first = {
    name: (id) => {
      if (!shortest.has(id)) return undefined;
      const name = ON_THE_WAY.find(([, test]) => test.test(id))?.[0];
      return name === 'inspector' && inViewer.has(id) ? 'first-view' : name;
    },
  };
  const { output } = await build.write({
    dir: join(here, 'dist'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: splitInto(first, view, SYSTEM, ...SHARED),
    minify: MINIFY,
    comments: false,
  });
  await build.close();
  assertForBrowsers(output);
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
const modules = await bundle({
  cli: join(here, 'src/main.ts'),
  'web/viewer': VIEWER,
  'state-worker': join(root, 'packages/inspector/src/large-states/worker.ts'),
  'search-index': join(root, 'packages/search/src/host/worker.ts'),
  'store-reader': join(root, 'packages/inspector/src/reader/child.ts'),
  ...Object.fromEntries(Object.entries(library).map(([name, source]) => [`lib/${name}`, source])),
});
removeFacades(join(here, 'dist'));
await writeTypes();
cpSync(web, join(here, 'dist/web'), { recursive: true, filter: (source) => source !== BUNDLED });
const page = JSON.parse(readFileSync(BUNDLED, 'utf8')).map((id) => join(root, id));
const others = packageFolders([...modules, ...page]);
writeFileSync(join(here, 'dist/THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(others));
const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
writeFileSync(join(here, 'dist/sbom.cdx.json'), `${JSON.stringify(bundledSbom(others, manifest), undefined, 2)}\n`);

// Who may import whom. A broken rule names the file, the import and what to do about it.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';
import { cyclesOf } from './cycles.mjs';

const STORES = ['core', 'io', 'stores', 'systems', 'changes', 'search'];
const DOORS = [...STORES, 'apis', 'inspector'];

/** Workspace packages that each package may import, besides itself. */
const MAY_IMPORT = {
  'packages/core': [],
  'packages/io': ['core'],
  'packages/stores': ['core', 'io'],
  'packages/systems': ['core', 'io'],
  'packages/changes': ['core', 'io'],
  'packages/search': ['core', 'io'],
  'packages/apis': ['core', 'io', 'stores', 'systems/*', 'systems/*/view'],
  'packages/inspector': STORES,
  'packages/demo': DOORS,
  'packages/bench': DOORS,
  'apps/api': DOORS,
  'apps/web': ['core', 'systems/*/view', 'stores/view', 'inspector/offline', 'api/client'],
  'apps/cli': [...DOORS, 'demo', 'api'],
  e2e: ['io/testing/postgres'],
};
/** Tests may also import these. */
const TESTS_MAY_ALSO = {
  'packages/systems': ['stores', 'changes'],
  'packages/stores': ['changes'],
  'packages/apis': ['systems'],
  'packages/changes': ['stores', 'systems', 'apis'],
  'packages/search': ['stores', 'systems'],
  'packages/inspector': ['demo', 'apis'],
  'apps/api': ['demo'],
};
/** What the folders of the page may import, besides themselves. `main.tsx` puts all together. */
const PAGE = {
  routes: ['features', 'components', 'lib'],
  features: ['components', 'lib'],
  components: ['lib'],
  lib: [],
};
/** By the name of the file or of a folder inside its package: packages/bench itself is none. */
const isTest = (file) =>
  /\.test\.tsx?$|(^|\/)(test|testing|fixtures|bench|scale|interop)\/|(^|\/)test-[^/]+$/.test(
    file.replace(/^packages\/bench\//, ''),
  );

function* sourceFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (['node_modules', 'dist', 'fixtures'].includes(entry.name) || entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sourceFiles(path);
    else if (/\.tsx?$/.test(entry.name)) yield path;
  }
}

/** What a file imports or re-exports, types and dynamic imports included. */
export function importsOf(text, name = 'a.tsx') {
  const { module, program, errors } = parse(name, text);
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  const found = [
    ...module.staticImports.map((one) => one.moduleRequest.value),
    ...module.staticExports.flatMap((one) => one.entries.map((entry) => entry.moduleRequest?.value)),
    ...module.dynamicImports.map((one) => text.slice(one.moduleRequest.start + 1, one.moduleRequest.end - 1)),
  ];
  // `import('x').T` in a type is not in the module record; walking a tree is slow, so only where one may be.
  if (text.includes('import(')) new Visitor({ TSImportType: (type) => found.push(type.source.value) }).visit(program);
  return [...new Set(found.filter((specifier) => specifier !== undefined))];
}

const parse = (name, text) => parseSync(name, text, { lang: name.endsWith('x') ? 'tsx' : 'ts' });

const matches = (rule, wanted) =>
  new RegExp(`^${rule.replaceAll('*', '[^/]+')}${rule.includes('*') ? '' : '(/.*)?'}$`).test(wanted);

/** The file that a relative import means; `file` is relative to the root. */
const targetOf = (file, specifier) =>
  relative('/', resolve('/', dirname(file), specifier.replace(/\?.*$/, '')))
    .split(sep)
    .join('/');

/** Rule breaks of one file, in words. `file` is relative to the root, `imports` are its specifiers. */
export function breaksOf(file, imports) {
  const home = Object.keys(MAY_IMPORT).find((name) => file.startsWith(`${name}/`));
  if (!home) return [];
  return imports.flatMap((specifier) =>
    specifier.startsWith('.')
      ? relativeBreak(file, home, targetOf(file, specifier))
      : packageBreak(file, home, specifier),
  );
}

function packageBreak(file, home, specifier) {
  const wanted = specifier.match(/^@checkpoint-inspector\/(.+)$/)?.[1];
  const test = isTest(file);
  if (wanted === undefined) {
    return test || home !== 'packages/core' ? [] : [notInBrowsers(file, specifier)];
  }
  const allowed = [
    home.split('/').at(-1),
    ...MAY_IMPORT[home],
    'config/vitest',
    ...(test ? ['config/measure', 'config/built', ...(TESTS_MAY_ALSO[home] ?? [])] : []),
  ];
  if (allowed.some((rule) => matches(rule, wanted))) return [];
  return [
    `${file}: ${home} must not import ${specifier}. Move the code to a package that both may use, or pass it in as an argument.`,
  ];
}

const notInBrowsers = (file, specifier) =>
  `${file}: runs in browsers without dependencies, so "${specifier}" cannot be used here. Move it to packages/io.`;

/** What systems have in common: kinds of store, each written once. */
const SHARED = new Set(['folder', 'kit', 'log', 'message-rows', 'run-row']);

function relativeBreak(file, home, target) {
  if (!target.startsWith(`${home}/`)) return [`${file}: reaches into ${target}. Import the package by its name.`];
  if (isTest(file)) return [];
  const [from, to] = [file, target].map((path) => path.match(/^packages\/(?:systems|stores)\/src\/([^/]+)\//)?.[1]);
  // `langgraph-dev` holds other files of `langgraph`: such a folder builds on the one that its name begins with.
  if (from && to && from !== to && !SHARED.has(to) && !from.startsWith(`${to}-`))
    return [
      `${file}: systems never import each other (${target}). Move what both need to systems/src/folder, systems/src/log, packages/io or core.`,
    ];
  const [fromPart, toPart] = [file, target].map((path) => path.match(/^apps\/web\/src\/([^/]+)\//)?.[1]);
  if (fromPart && toPart && fromPart !== toPart && !PAGE[fromPart]?.includes(toPart))
    return [
      `${file}: ${fromPart} must not import ${toPart} (${target}). Move what is needed down to ${downOf(fromPart)}, or pass it in.`,
    ];
  return [];
}

const downOf = (part) => PAGE[part]?.at(-1) ?? part;

/** Breaks that only all files together show, in words. `files` maps a path to its specifiers. */
export function breaksOfAll(files) {
  const edges = new Map();
  for (const [file, imports] of files) {
    const targets = imports.filter((specifier) => specifier.startsWith('.')).map((one) => targetOf(file, one));
    edges.set(
      file,
      targets.filter((target) => files.has(target)),
    );
  }
  const circles = cyclesOf(edges).map(
    (circle) =>
      `${circle[0]}: is in a circle of ${circle.length} files, types included: ${circle.join(', ')}. Move what they share (often a type) to a file that imports none of them.`,
  );
  return [...circles, ...viewBreaks(files, edges)];
}

/** The page loads the views of stores and systems, and whatever they import. */
function viewBreaks(files, edges) {
  const views = [...files.keys()].filter((file) => /^packages\/(systems|stores)\/src\/([^/]+\/)?view\.ts$/.test(file));
  const loaded = new Set(views);
  for (const file of loaded) for (const target of edges.get(file)) loaded.add(target);
  return [...loaded].flatMap((file) =>
    files
      .get(file)
      .filter((specifier) => !/^\.|^@checkpoint-inspector\/core$/.test(specifier))
      .map((specifier) => notInBrowsers(file, specifier)),
  );
}

/** Packages that no rule names. */
function unruled(root) {
  return ['packages', 'apps']
    .flatMap((top) => readdirSync(join(root, top)).map((name) => `${top}/${name}`))
    .filter((home) => existsSync(join(root, home, 'src')) && !MAY_IMPORT[home])
    .map((home) => `${home}: has no rule. Say in MAY_IMPORT of packages/config/boundaries.mjs what it may import.`);
}

function check(root) {
  const homes = Object.keys(MAY_IMPORT).filter((home) => existsSync(join(root, home)));
  const files = new Map();
  for (const path of homes.flatMap((home) => [...sourceFiles(join(root, home))])) {
    const file = relative(root, path).split(sep).join('/');
    files.set(file, importsOf(readFileSync(path, 'utf8'), file));
  }
  const each = [...files].flatMap(([file, imports]) => breaksOf(file, imports));
  const broken = [...each, ...breaksOfAll(files), ...unruled(root)];
  return { files: files.size, broken };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { files, broken } = check(resolve(import.meta.dirname, '../..'));
  for (const line of broken) console.error(line);
  if (broken.length > 0) process.exit(1);
  console.log(`boundaries: ${files} files, none broken`);
}

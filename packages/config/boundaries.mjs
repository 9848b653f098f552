// Who may import whom. A broken rule names the file, the import and the way out.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Workspace packages that each room may import, besides itself. */
const MAY_IMPORT = {
  'packages/core': [],
  'packages/io': ['core'],
  'packages/stores': ['core', 'io'],
  'packages/systems': ['core', 'io'],
  'packages/changes': ['core', 'io'],
  'packages/journal': ['core', 'io'],
  'packages/demo': ['core', 'io', 'stores', 'systems'],
  'apps/api': ['core', 'io', 'stores', 'systems', 'changes', 'journal'],
  'apps/web': ['core', 'systems/*/view', 'api/client'],
  'apps/cli': ['core', 'io', 'stores', 'systems', 'changes', 'demo', 'api'],
  e2e: [],
};
const TESTS_MAY_ALSO = {
  'packages/systems': ['stores'],
  'packages/changes': ['stores', 'systems'],
  'apps/api': ['demo'],
};
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^;'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g;
const isTest = (file) => /\.test\.tsx?$|(^|\/)(test|testing|fixtures|bench|scale)\//.test(file);

export function* sourceFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (['node_modules', 'dist', 'fixtures'].includes(entry.name) || entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sourceFiles(path);
    else if (/\.tsx?$/.test(entry.name)) yield path;
  }
}

export const importsOf = (text) => [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3]);

const matches = (rule, wanted) =>
  new RegExp(`^${rule.replaceAll('*', '[^/]+')}${rule.includes('*') ? '' : '(/.*)?'}$`).test(wanted);

/** Rule breaks of one file, in words. `file` is relative to the root. */
export function breaksOf(file, text) {
  const room = Object.keys(MAY_IMPORT).find((name) => file.startsWith(`${name}/`));
  if (!room) return [];
  const allowed = [...MAY_IMPORT[room], ...(isTest(file) ? (TESTS_MAY_ALSO[room] ?? []) : [])];
  const own = room.split('/').at(-1);
  return importsOf(text).flatMap((specifier) => breakOf({ file, room, own, allowed, specifier }));
}

function breakOf({ file, room, own, allowed, specifier }) {
  const wanted = specifier.match(/^@checkpoint-inspector\/(.+)$/)?.[1];
  if (
    wanted &&
    wanted.split('/')[0] !== own &&
    wanted !== 'config/vitest' &&
    !(wanted === 'config/measure' && isTest(file)) &&
    !allowed.some((rule) => matches(rule, wanted))
  ) {
    return [
      `${file}: ${room} must not import ${specifier}. Move the code to a room both may use, or pass it in as an argument.`,
    ];
  }
  const browserSafe = room === 'packages/core' || /^packages\/systems\/src\/[^/]+\/view\.ts$/.test(file);
  if (browserSafe && !isTest(file) && !specifier.startsWith('.') && wanted === undefined) {
    return [
      `${file}: runs in browsers and has no dependencies, so "${specifier}" cannot be used here. Move it to packages/io.`,
    ];
  }
  if (specifier.startsWith('.')) {
    const target = relative('/', resolve('/', dirname(file), specifier))
      .split(sep)
      .join('/');
    if (!target.startsWith(`${room}/`)) return [`${file}: reaches into ${target}. Import the package by its name.`];
    const room1 = file.match(/^packages\/(?:systems|stores)\/src\/([^/]+)\//)?.[1];
    const room2 = target.match(/^packages\/(?:systems|stores)\/src\/([^/]+)\//)?.[1];
    if (room1 && room2 && room1 !== room2)
      return [`${file}: rooms never import each other (${target}). Put what both need into packages/io or core.`];
  }
  return [];
}

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = Object.keys(MAY_IMPORT).flatMap((room) => [...sourceFiles(join(root, room))]);
  const broken = files.flatMap((path) =>
    breaksOf(relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8')),
  );
  for (const line of broken) console.error(line);
  if (broken.length > 0) process.exit(1);
  console.log(`boundaries: ${files.length} files, none broken`);
}

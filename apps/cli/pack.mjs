// Before a tarball is made: the files that are elsewhere in the repository, and a manifest without what only we need.
// After it: everything as it was. `npm pack`, `pnpm pack` and their `publish` run both by themselves.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const here = import.meta.dirname;
const root = join(here, '../..');
const manifest = join(here, 'package.json');
const kept = join(here, 'node_modules/.cache/package.json');
const COPIED = {
  LICENSE: join(root, 'LICENSE'),
  'CHANGELOG.md': join(root, 'CHANGELOG.md'),
  'THIRD-PARTY-NOTICES.txt': join(here, 'dist/THIRD-PARTY-NOTICES.txt'),
};

/** The pages that are published: where each is in the repository, and where in the package. */
export const PAGES = new Map([
  ['README.md', 'README.md'],
  ['apps/cli/docs/quick-start.md', 'dist/docs/quick-start.md'],
  ['apps/cli/docs/cookbook.md', 'dist/docs/cookbook.md'],
]);

/**
 * A page for somebody who has the package only: links between published pages lead to where they are there, and of
 * other links into the repository the words stay. Its pictures aren't published.
 */
export function publishedPage(text, source) {
  const here = PAGES.get(source) ?? source;
  const link = (_, words, path, anchor = '') => {
    const page = PAGES.get(posix.join(posix.dirname(source), path));
    return page ? `[${words}](${posix.relative(posix.dirname(here), page)}${anchor})` : words;
  };
  return text
    .replaceAll(/<!-- checkout -->[\s\S]*?<!-- \/checkout -->\n*/g, '')
    .replaceAll(/^!\[[^\]]*\]\((?!https?:)[^)]*\)\n+/gm, '')
    .replaceAll(/\[([^\]]+)\]\((?!https?:|#)([^)#]*)(#[^)]*)?\)/g, link);
}

/** What npm reads at an installation; the workspace's own packages are bundled. */
export function publishedManifest(manifest) {
  const published = { ...manifest, scripts: { postpack: manifest.scripts.postpack } };
  delete published.devDependencies;
  return published;
}

function prepare() {
  if (!existsSync(join(here, 'dist/cli.js'))) throw new Error('Build first: npm start builds, and so does npm test.');
  if (existsSync(kept)) restore();
  for (const [name, source] of Object.entries(COPIED)) copyFileSync(source, join(here, name));
  for (const [source, page] of PAGES) {
    mkdirSync(dirname(join(here, page)), { recursive: true });
    writeFileSync(join(here, page), publishedPage(readFileSync(join(root, source), 'utf8'), source));
  }
  mkdirSync(dirname(kept), { recursive: true });
  copyFileSync(manifest, kept);
  const stripped = publishedManifest(JSON.parse(readFileSync(kept, 'utf8')));
  writeFileSync(manifest, `${JSON.stringify(stripped, undefined, 2)}\n`);
}

function restore() {
  for (const name of [...PAGES.values(), ...Object.keys(COPIED)]) rmSync(join(here, name), { force: true });
  if (existsSync(kept)) renameSync(kept, manifest);
}

if (process.argv[2] === 'prepare') prepare();
if (process.argv[2] === 'restore') restore();

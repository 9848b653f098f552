// Before a tarball is made: the files that are elsewhere in the repository, and a manifest without what only we need.
// After it: everything as it was. `npm pack`, `pnpm pack` and their `publish` run both by themselves.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const here = import.meta.dirname;
const root = join(here, '../..');
const manifest = join(here, 'package.json');
const kept = join(here, 'node_modules/.cache/package.json');
const COPIED = {
  LICENSE: join(root, 'LICENSE'),
  'CHANGELOG.md': join(root, 'CHANGELOG.md'),
  'THIRD-PARTY-NOTICES.txt': join(here, 'dist/THIRD-PARTY-NOTICES.txt'),
};

/** The README for somebody who has the package only: links and pictures into the repository lead nowhere there. */
export function packageReadme(text) {
  return text
    .replaceAll(/<!-- checkout -->[\s\S]*?<!-- \/checkout -->\n*/g, '')
    .replaceAll(/^!\[[^\]]*\]\((?!https?:)[^)]*\)\n+/gm, '')
    .replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]*\)/g, '$1');
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
  writeFileSync(join(here, 'README.md'), packageReadme(readFileSync(join(root, 'README.md'), 'utf8')));
  mkdirSync(dirname(kept), { recursive: true });
  copyFileSync(manifest, kept);
  const stripped = publishedManifest(JSON.parse(readFileSync(kept, 'utf8')));
  writeFileSync(manifest, `${JSON.stringify(stripped, undefined, 2)}\n`);
}

function restore() {
  for (const name of ['README.md', ...Object.keys(COPIED)]) rmSync(join(here, name), { force: true });
  if (existsSync(kept)) renameSync(kept, manifest);
}

if (process.argv[2] === 'prepare') prepare();
if (process.argv[2] === 'restore') restore();

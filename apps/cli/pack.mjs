// Before a tarball is made: the files that are elsewhere in the repository, and a manifest without what only we need.
// After it: everything as it was. `npm pack`, `pnpm pack` and their `publish` run both by themselves.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';

const here = import.meta.dirname;
const root = join(here, '../..');
const manifest = join(here, 'package.json');
const SYSTEMS = 'packages/systems/src';
const kept = join(here, 'node_modules/.cache/package.json');
const COPIED = {
  LICENSE: join(root, 'LICENSE'),
  'CHANGELOG.md': join(root, 'CHANGELOG.md'),
  'THIRD-PARTY-NOTICES.txt': join(here, 'dist/THIRD-PARTY-NOTICES.txt'),
};

/** Every page of the package: where it is in the repository, and where in the package. */
export const PAGES = new Map([
  ['README.md', 'README.md'],
  ...readdirSync(join(here, 'docs')).map((name) => [`apps/cli/docs/${name}`, `dist/docs/${name}`]),
  ['packages/stores/README.md', 'dist/docs/systems/native.md'],
  ...readdirSync(join(root, SYSTEMS))
    .filter((name) => existsSync(join(root, SYSTEMS, name, 'README.md')))
    .map((name) => [`${SYSTEMS}/${name}/README.md`, `dist/docs/systems/${name}.md`]),
]);

/**
 * A page as the package has it: links lead to published pages. Pictures and files that only the repository has get their
 * address there; without one, as in a local `npm pack`, pictures are left out and links become plain words.
 * `repository`: such as https://github.com/owner/name/blob/v1.0.0
 */
export function publishedPage(text, source, repository) {
  const here = PAGES.get(source) ?? source;
  const link = (all, mark, words, path, anchor = '') => {
    const target = posix.join(posix.dirname(source), path);
    const page = PAGES.get(target);
    if (page) return `${mark}[${words}](${posix.relative(posix.dirname(here), page)}${anchor})`;
    if (repository === undefined) return mark === '!' ? '' : words;
    return `${mark}[${words}](${repository}/${target}${mark === '!' ? '?raw=true' : anchor})`;
  };
  return text
    .replaceAll(/<!-- checkout -->[\s\S]*?<!-- \/checkout -->\n*/g, '')
    .replaceAll(/^<!-- .* -->\n/gm, '')
    .replaceAll(/(!?)\[([^\]]+)\]\((?!https?:|#)([^)#]*)(#[^)]*)?\)/g, link)
    .replaceAll(/\n{3,}/g, '\n\n');
}

/** Where the repository shows the files of this version, once a release has named it in the manifest. */
function repositoryOf({ repository, version }) {
  const url = repository?.url?.replace(/^git\+/, '').replace(/\.git$/, '');
  return url && `${url}/blob/v${version}`;
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
  const repository = repositoryOf(JSON.parse(readFileSync(manifest, 'utf8')));
  for (const [source, page] of PAGES) {
    mkdirSync(dirname(join(here, page)), { recursive: true });
    writeFileSync(join(here, page), publishedPage(readFileSync(join(root, source), 'utf8'), source, repository));
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

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const folders = [
  '.',
  'e2e',
  ...['packages', 'apps'].flatMap((top) => readdirSync(join(root, top)).map((name) => join(top, name))),
];

function declared() {
  const names = folders
    .map((folder) => join(root, folder, 'package.json'))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')))
    .flatMap((manifest) => [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies])
    .flatMap((dependencies) => Object.entries(dependencies ?? {}))
    .filter(([, version]) => !String(version).startsWith('workspace:'));
  return names;
}

it('gives every dependency a reason, and no reason without a dependency', () => {
  const text = readFileSync(join(root, 'packages/config/DEPENDENCIES.md'), 'utf8');
  const written = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]);
  expect(written.toSorted()).toEqual([...new Set(declared().map(([name]) => name))].toSorted());
});

it('pins every version', () => {
  const loose = declared().filter(([, version]) => !/^(catalog:|npm:[^@]+@\d|\d)/.test(String(version)));
  expect(loose).toEqual([]);
});

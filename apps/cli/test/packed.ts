import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PAGES } from '../pack.mjs';

const ROOT = resolve(import.meta.dirname, '../../..');
const OURS = ['package.json', 'bin', 'dist', 'pack.mjs'];
const BESIDE = [...PAGES.keys(), 'LICENSE', 'CHANGELOG.md'];

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Record<string, string | { readonly types: string; readonly default: string }>;
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
  readonly peerDependenciesMeta: Record<string, { readonly optional: boolean }>;
}

export interface Packed {
  readonly tarball: string;
  readonly files: readonly string[];
  readonly manifest: Manifest;
  /** The text of a file in the tarball. */
  read(path: string): string;
}

/** What `npm pack` in apps/cli makes of the last build. Packing changes the manifest for a moment: done on a copy. */
export function pack(folder: string): Packed {
  const copy = join(folder, 'apps/cli');
  mkdirSync(copy, { recursive: true });
  for (const name of BESIDE) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(ROOT, name), join(folder, name));
  }
  for (const name of OURS) cpSync(join(ROOT, 'apps/cli', name), join(copy, name), { recursive: true });
  const done = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: copy, encoding: 'utf8' });
  const report = JSON.parse(done.slice(done.indexOf('[\n'))) as [{ filename: string }];
  const tarball = join(folder, report[0].filename);
  execFileSync('tar', ['xzf', tarball], { cwd: folder });
  const read = (path: string): string => readFileSync(join(folder, 'package', path), 'utf8');
  return { tarball, files: listed(tarball), manifest: JSON.parse(read('package.json')) as Manifest, read };
}

const listed = (tarball: string): string[] =>
  execFileSync('tar', ['tzf', tarball], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));

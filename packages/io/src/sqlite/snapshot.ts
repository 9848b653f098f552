import { copyFileSync, chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InspectorError } from '@checkpoint-inspector/core';

const PARTS = ['', '-wal', '-journal'] as const;
const ATTEMPTS = 5;
const folders = new Set<string>();

process.once('exit', () => folders.forEach(removeSnapshot));

/**
 * Copies a database with its log into a new private folder (0700) and returns the copy's path.
 * A copy during which the original changed is thrown away and made again.
 * @throws InspectorError busy, when the original never stood still
 */
export function copyDatabase(path: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'checkpoint-inspector-'));
  folders.add(folder);
  const copy = join(folder, 'copy.sqlite');
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = fileSignature(path);
    for (const part of PARTS) copyPart(path + part, copy + part);
    if (fileSignature(path) === before) return copy;
  }
  removeSnapshot(folder);
  throw new InspectorError('busy', 'The database changed on every attempt to copy it.', { data: { path } });
}

function copyPart(from: string, to: string): void {
  rmSync(to, { force: true });
  if (!existsSync(from)) return;
  copyFileSync(from, to);
  chmodSync(to, 0o600);
}

export function removeSnapshot(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** Identity, size and time of the database and its log; another value means that something was written. */
export function fileSignature(path: string): string {
  return PARTS.map((part) => {
    const stat = statSync(path + part, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? '-' : `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`;
  }).join(' ');
}

/** Device and inode; `undefined` while there is no such file. */
export function fileIdentity(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
}

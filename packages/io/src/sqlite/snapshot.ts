import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { InspectorError, meansTooManyFiles } from '@checkpoint-inspector/core';
import { makeScratch, removeScratch } from '../scratch.ts';

const PARTS = ['', '-wal', '-journal'] as const;
const ATTEMPTS = 5;

/** The path of a copy in a new private folder; made again while the original changes. @throws InspectorError busy */
export function copyDatabase(path: string): string {
  const folder = makeScratch('copy');
  const copy = join(folder, 'copy.sqlite');
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const before = fileSignature(path);
      copyParts(path, copy);
      if (fileSignature(path) === before) return copy;
    }
    throw new InspectorError('busy', 'The database changed during every attempt to copy it.', { data: { path } });
  } catch (error) {
    removeScratch(folder);
    throw error;
  }
}

/** Runs as a program of its own, without anything of ours: from, to, and the endings of the files. */
const COPY = `
const { chmodSync, copyFileSync, constants, existsSync, rmSync } = require('node:fs');
const [from, to, ...parts] = process.argv.slice(1);
for (const part of parts) {
  rmSync(to + part, { force: true });
  if (!existsSync(from + part)) continue;
  copyFileSync(from + part, to + part, constants.COPYFILE_FICLONE);
  chmodSync(to + part, 0o600);
}`;

/** In another process: closing the file here would drop the locks of all our connections to it. */
function copyParts(from: string, to: string): void {
  const done = spawnSync(process.execPath, ['-e', COPY, '--', from, to, ...PARTS], { encoding: 'utf8' });
  if (done.status === 0) return;
  if (meansTooManyFiles(done.error)) throw InspectorError.from(done.error);
  const why =
    done.error?.message ??
    done.stderr
      .trim()
      .split('\n')
      .find((line) => line.includes('Error')) ??
    '';
  const code = why.includes('ENOSPC') ? 'disk_full' : 'unreadable';
  throw new InspectorError(code, `A private copy of ${from} couldn't be made. ${why}`, {
    data: { path: from },
    ...(done.error ? { cause: done.error } : {}),
  });
}

/** Exactly: as a number, an inode or a time may be that of another file or write. */
const look = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false });
type Look = ReturnType<typeof look>;

/** Identity, size and time of a database, its log and its journal; another value means that something was written. */
export function fileSignature(path: string): string {
  const signed = (stat: Look): string =>
    stat === undefined ? '-' : `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`;
  return PARTS.map((part) => signed(look(path + part))).join(' ');
}

/** What a commit to a database writes to: what else lies beside it is of a transaction that goes on. */
export class CommittedFiles {
  readonly #path: string;
  readonly #log: string;
  #database: Look;
  #logged: Look;
  /** When one of them was written last, in milliseconds since 1970. */
  writtenMs = 0;

  constructor(path: string) {
    this.#path = path;
    this.#log = `${path}-wal`;
  }

  /** Whether one was written, or is another, since the last look. Nothing is put together for it: it is asked often. */
  haveChanged(): boolean {
    const [database, logged] = [look(this.#path), look(this.#log)];
    if (isSame(database, this.#database) && isSame(logged, this.#logged)) return false;
    [this.#database, this.#logged] = [database, logged];
    const [atNs, loggedAtNs] = [database?.mtimeNs ?? 0n, logged?.mtimeNs ?? 0n];
    this.writtenMs = Number((atNs > loggedAtNs ? atNs : loggedAtNs) / 1_000_000n);
    return true;
  }
}

function isSame(a: Look, b: Look): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;
}

/** Device and inode; `undefined` while there is no such file. */
export function fileIdentity(path: string): string | undefined {
  const stat = look(path);
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
}

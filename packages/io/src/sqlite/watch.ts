import type { Unwatch } from '@checkpoint-inspector/core';
import { connect, needsCopy } from './open.ts';
import { fileIdentity, fileSignature } from './snapshot.ts';

/**
 * Calls `onChange` after another connection committed, and when the file was replaced, moved, removed or came back.
 * Polls `PRAGMA data_version` on its own read-only connection, every 500 ms unless told otherwise. Does not keep the process alive.
 * Source: https://www.sqlite.org/pragma.html#pragma_data_version
 */
export function watchSqlite(path: string, onChange: () => void, options: { readonly pollMs?: number } = {}): Unwatch {
  let seen = fileIdentity(path);
  let probe = openProbe(path);
  let version = probe?.version();
  const timer = setInterval(() => {
    const now = fileIdentity(path);
    if (now !== seen || probe === undefined) {
      const replaced = now !== seen;
      probe?.close();
      probe = now === undefined ? undefined : openProbe(path);
      version = probe?.version();
      // A file that could not be opened before and can be now is a change too.
      if (replaced || probe !== undefined) onChange();
      seen = now;
      return;
    }
    const current = probe.version();
    if (current === undefined || current === version) return;
    version = current;
    onChange();
  }, options.pollMs ?? 500);
  timer.unref();
  return () => {
    clearInterval(timer);
    probe?.close();
    probe = undefined;
  };
}

interface Probe {
  /** `undefined` when it is unknown just now. */
  version(): string | undefined;
  close(): void;
}

function openProbe(path: string): Probe | undefined {
  try {
    const database = connect(path, true, 0);
    const statement = database.prepare<[], { data_version: number }>('PRAGMA data_version');
    return { version: () => readVersion(statement), close: () => database.close() };
  } catch (error) {
    // Readers of such a database have a copy, which never changes: watch the files that it was made from.
    return needsCopy(error) ? { version: () => fileSignature(path), close: () => undefined } : undefined;
  }
}

function readVersion(statement: { get(): { data_version: number } | undefined }): string | undefined {
  try {
    return String(statement.get()?.data_version);
  } catch {
    return undefined;
  }
}

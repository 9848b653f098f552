import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { InspectorError } from '@checkpoint-inspector/core';
import type { StoreService } from '@checkpoint-inspector/inspector';

export interface KeyOptions {
  readonly keyFile?: string;
  readonly askKey?: boolean;
}

/**
 * The key of encrypted stores: from a file, a prompt, or CHECKPOINT_INSPECTOR_KEY.
 * Never an argument: those are seen by every user of the machine.
 * @throws InspectorError invalid_input
 */
export async function readKey({ keyFile, askKey }: KeyOptions): Promise<string | undefined> {
  if (keyFile !== undefined) return nonBlank(fromFile(keyFile), `The key file "${keyFile}"`);
  if (askKey) return nonBlank(await ask(), 'The key');
  const given = process.env['CHECKPOINT_INSPECTOR_KEY'];
  return given === undefined ? undefined : nonBlank(given, 'CHECKPOINT_INSPECTOR_KEY');
}

function fromFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new InspectorError('invalid_input', `The key file "${path}" cannot be read.`, { cause });
  }
}

function nonBlank(key: string, name: string): string {
  if (key.trim() !== '') return key;
  throw new InspectorError('invalid_input', `${name} is blank.`, {
    remedy: 'Give a passphrase, or 64 hex digits for a raw key.',
  });
}

/** Reads a line without showing it. */
function ask(): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new InspectorError('invalid_input', 'There is no terminal to ask for the key.', {
      remedy: 'Use --key-file or CHECKPOINT_INSPECTOR_KEY.',
    });
  }
  process.stderr.write('Key: ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  return new Promise((resolve) =>
    lines.question('', (answer) => {
      lines.close();
      process.stderr.write('\n');
      resolve(answer);
    }),
  );
}

/** Tries the key on every store that has locks. @throws InspectorError wrong_key, when it opens none of them */
export async function unlockStores(stores: StoreService, key: string): Promise<void> {
  const lockable = stores.list().filter(({ id }) => stores.source(id).unlock !== undefined);
  const results = await Promise.allSettled(lockable.map(({ id }) => stores.unlock(id, key)));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length > 0 && failures.length === results.length) throw InspectorError.from(failures[0]);
}

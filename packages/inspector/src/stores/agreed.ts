/** Which private stores a person has agreed to keep something of on disk: remembered in the state folder. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InspectorError, type StoreInfo } from '@checkpoint-inspector/core';
import { privateFile } from '@checkpoint-inspector/io';

export interface Agreed {
  has(store: Agreeable): boolean;
  /** @throws InspectorError unsupported for a store that can't be told again, unreadable where it can't be written */
  add(store: Agreeable): void;
}

type Agreeable = Pick<StoreInfo, 'system' | 'identity' | 'label'>;

const NAME = 'agreed-stores.json';

/** @param folder of the journal; absent: remembered until the program ends */
export function createAgreed(folder: string | undefined): Agreed {
  let known: readonly string[] = [];
  // Another process may have been told meanwhile.
  const all = (): readonly string[] => (folder === undefined ? known : (known = readNames(join(folder, NAME))));
  return {
    has: (store) => store.identity !== undefined && all().includes(nameOf(store)),
    add(store) {
      if (store.identity === undefined)
        throw new InspectorError('unsupported', `Nothing of ${store.label} can be kept: it can't be told again.`);
      if (all().includes(nameOf(store))) return;
      known = [...known, nameOf(store)];
      if (folder !== undefined) writeNames(folder, known);
    },
  };
}

const nameOf = ({ system, identity = '' }: Agreeable): string => `${system} ${identity}`;

/** What can't be read is nothing: then nothing is kept. */
function readNames(path: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

function writeNames(folder: string, names: readonly string[]): void {
  const temp = privateFile(folder, `${NAME}.${process.pid}.tmp`);
  writeFileSync(temp, `${JSON.stringify(names, undefined, 2)}\n`);
  renameSync(temp, join(folder, NAME));
}

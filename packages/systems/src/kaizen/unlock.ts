import { InspectorError } from '@checkpoint-inspector/core';
import type { KeyObject } from 'node:crypto';
import { decodeDocument } from './codec.ts';
import { readStored } from '../folder/index.ts';
import type { StoredFile } from './files.ts';
import { isEncrypted } from './names.ts';

/**
 * The keys to keep: the one that opens a file, and all of them while there is no encrypted file to try them on.
 * @throws InspectorError wrong_key when there are encrypted files and none opens
 */
export async function findKey(
  folder: string,
  files: readonly StoredFile[],
  candidates: readonly KeyObject[],
): Promise<readonly KeyObject[]> {
  const encrypted = files.filter((file) => isEncrypted(file.variant));
  if (encrypted.length === 0) return candidates;
  // Files that no key has opened yet come first: a second key is meant for those.
  const order = encrypted.toSorted((a, b) => Number(Boolean(a.facts)) - Number(Boolean(b.facts)));
  for (const file of order) {
    const key = await keyOf(folder, file, candidates);
    if (key) return [key];
  }
  throw new InspectorError('wrong_key', `The key opens none of the ${encrypted.length} encrypted files.`);
}

/** A file that cannot be read, or is damaged, tells nothing about a key. */
async function keyOf(
  folder: string,
  file: StoredFile,
  candidates: readonly KeyObject[],
): Promise<KeyObject | undefined> {
  try {
    return (await decodeDocument(file.variant, await readStored(folder, file), candidates)).key;
  } catch {
    return undefined;
  }
}

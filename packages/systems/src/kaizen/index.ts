import { eachInSteps, paced } from '@checkpoint-inspector/core';
import { readBounded } from '@checkpoint-inspector/io';
import { basename, join } from 'node:path';
import { firstOf, folderSystem, type FolderFinder } from '../folder/index.ts';
import { decodeDocument, MAX_DOCUMENT_BYTES } from './codec.ts';
import { readDocument } from './document.ts';
import { isEncrypted, looksLikeKaizenId, parseFileName, type FileName } from './names.ts';
import { KaizenSource } from './read.ts';

export { decodeDocument, encodeDocument, MAX_DOCUMENT_BYTES } from './codec.ts';
export { assertNotBlank, keyOfPassphrase, rawKey } from './crypt.ts';
export { KAIZEN_DEFAULTS, KAIZEN_KEYS, type KaizenKey } from './document.ts';
export { KaizenReader, stateText, type StoredFile } from './files.ts';
export { isEncrypted, isGzipped, isSafeId, kaizenFileName, namesOfId, parseFileName, type Variant } from './names.ts';
export { KaizenSource, type KaizenOptions } from './read.ts';

/** A folder itself, its `checkpoints`, or its `.kaizen/checkpoints`. */
const finder: FolderFinder<object> = {
  placesIn: (path) => [
    path,
    join(path, '.kaizen', 'checkpoints'),
    ...(basename(path) === '.kaizen' ? [join(path, 'checkpoints')] : []),
  ],
  matchFile: async (folder, file) => {
    const name = parseFileName(file);
    if (!name || !(await isCheckpoint(folder, name))) return undefined;
    return { because: 'a Kaizen checkpoint file', confidence: 0.9 };
  },
  matchFolder: async (folder, names) => {
    const [own, others, encrypted]: [FileName[], FileName[], FileName[]] = [[], [], []];
    const parsed = eachInSteps(names, (name) => {
      const file = parseFileName(name);
      if (file === undefined) return;
      if (isEncrypted(file.variant)) encrypted.push(file);
      else (looksLikeKaizenId(file.id) ? own : others).push(file);
    });
    await paced(parsed);
    const found = own.length + others.length + encrypted.length;
    if (found === 0) {
      const home = folder.endsWith(join('.kaizen', 'checkpoints'));
      return home && names.length === 0 ? { because: "Kaizen's own folder, empty so far", confidence: 0.5 } : undefined;
    }
    const first = await firstOf([...own, ...others], async (file) => (await isCheckpoint(folder, file)) || undefined);
    if (first) return { because: `${found} Kaizen checkpoint files`, confidence: 0.95 };
    if (encrypted.length > 0) return { because: `${found} encrypted checkpoint files`, confidence: 0.7 };
    return own.length > 0 ? { because: "file names in Kaizen's pattern", confidence: 0.4 } : undefined;
  },
};

/** Names alone do not tell: many programs write `.jsonl`. An encrypted file is taken by its name. */
async function isCheckpoint(folder: string, name: FileName): Promise<boolean> {
  if (isEncrypted(name.variant)) return true;
  try {
    const bytes = await readBounded(join(folder, name.name), { maxBytes: MAX_DOCUMENT_BYTES });
    return readDocument((await decodeDocument(name.variant, bytes)).text).facts !== undefined;
  } catch {
    return false;
  }
}

/**
 * Kaizen's file store: one JSON document per checkpoint in a flat folder.
 * @example const [source] = await kaizenSystem.open(target, options);
 */
export const kaizenSystem = folderSystem({
  id: 'kaizen',
  label: 'Kaizen',
  files: 'Kaizen checkpoint files',
  lookedFor: ['*.jsonl', '*.jsonl.gz', '*.enc.jsonl', '*.enc.gz.jsonl', '.kaizen/checkpoints'],
  finder,
  open: KaizenSource.open,
});

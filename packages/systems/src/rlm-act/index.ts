import { readBounded } from '@checkpoint-inspector/io';
import { basename, join } from 'node:path';
import { firstOf, folderSystem, type FolderFinder } from '../folder/index.ts';
import { looksLikeCheckpoint } from './document.ts';
import { MAX_DOCUMENT_BYTES } from './files.ts';
import { CHECKPOINTS_FOLDER, idOfFile, isUuid } from './names.ts';
import { RlmActSource } from './read.ts';

export { checkpointReader, MAX_DOCUMENT_BYTES, readText, type StoredFile } from './files.ts';
export { CHECKPOINTS_FOLDER, idOfFile } from './names.ts';
export { newestStamp, snapshotOf } from './rows.ts';
export { compareText, millisecondsOf, nextStamp, stampOf } from './stamps.ts';
export { PHASES } from './view.ts';
export { RlmActSource, type RlmActOptions } from './read.ts';

/** A folder itself, or the one in a project. */
const finder: FolderFinder<object> = {
  placesIn: (path) => [path, join(path, CHECKPOINTS_FOLDER)],
  matchFile: async (folder, name) => {
    if (idOfFile(name) === undefined || !(await isCheckpoint(join(folder, name)))) return undefined;
    return { because: 'an rlm-act checkpoint file', confidence: 0.9 };
  },
  matchFolder: async (folder, names) => {
    const files = names.filter((name) => idOfFile(name) !== undefined).toSorted();
    const home = basename(folder) === CHECKPOINTS_FOLDER;
    // Other folders are full of other JSON; there only names that the pipeline gives are looked into.
    const likely = home ? files : files.filter((name) => isUuid(idOfFile(name) ?? ''));
    const own = await firstOf(likely, async (name) => (await isCheckpoint(join(folder, name))) || undefined);
    if (own) return { because: `${files.length} rlm-act checkpoint files`, confidence: 0.95 };
    if (!home) return undefined;
    if (files.length === 0) return { because: "rlm-act's own folder, empty so far", confidence: 0.5 };
    return { because: `${files.length} files in rlm-act's own folder`, confidence: 0.6 };
  },
};

async function isCheckpoint(path: string): Promise<boolean> {
  try {
    const bytes = await readBounded(path, { maxBytes: MAX_DOCUMENT_BYTES });
    return looksLikeCheckpoint(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return false;
  }
}

/**
 * The checkpoints of the rlm-act pipeline: one JSON document per file in a project's folder.
 * @example const [source] = await rlmActSystem.open(target, options);
 */
export const rlmActSystem = folderSystem({
  id: 'rlm-act',
  label: 'rlm-act',
  files: 'rlm-act checkpoint files',
  lookedFor: [`${CHECKPOINTS_FOLDER}/*.json`],
  finder,
  open: RlmActSource.open,
});

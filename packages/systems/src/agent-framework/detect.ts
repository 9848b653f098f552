import { join } from 'node:path';
import { firstOf, readText, type FolderFinder, type Found } from '../folder/index.ts';
import { readDocument } from './document.ts';
import { INDEX_NAME, readIndexLine } from './dotnet.ts';
import { MAX_DOCUMENT_BYTES } from './files.ts';
import { documentReader } from './folder.ts';
import type { Layout } from './rows.ts';

const OWN_NAME = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|checkpoint_.*)\.json$/;

type Match = Found<{ readonly layout: Layout }>;

/** A folder itself, or its `checkpoints`. */
export const finder: FolderFinder<{ readonly layout: Layout }> = {
  placesIn: (path) => [path, join(path, 'checkpoints')],
  matchFile: async (folder, name) => {
    if (name === INDEX_NAME) return matchIndex(folder);
    if (!documentReader.accepts(name) || !(await isCheckpoint(folder, name))) return undefined;
    return { layout: 'documents', because: 'an Agent Framework checkpoint file', confidence: 0.9 };
  },
  matchFolder: async (folder, names) => {
    const index = names.includes(INDEX_NAME) ? await matchIndex(folder) : undefined;
    if (index) return index;
    const files = names.filter(documentReader.accepts);
    // Names alone do not tell: many programs write `.json`.
    const likely = files.toSorted((a, b) => Number(OWN_NAME.test(b)) - Number(OWN_NAME.test(a)));
    const own = await firstOf(likely, async (name) => (await isCheckpoint(folder, name)) || undefined);
    if (own === undefined) return undefined;
    return { layout: 'documents', because: `${files.length} Agent Framework checkpoint files`, confidence: 0.95 };
  },
};

async function matchIndex(folder: string): Promise<Match | undefined> {
  const text = await textOf(join(folder, INDEX_NAME));
  if (!text?.split('\n').some((line) => readIndexLine(line) !== undefined)) return undefined;
  return { layout: 'dotnet', because: 'index.jsonl of an Agent Framework .NET checkpoint store', confidence: 0.9 };
}

async function isCheckpoint(folder: string, name: string): Promise<boolean> {
  const text = await textOf(join(folder, name));
  return text !== undefined && readDocument(text).facts !== undefined;
}

/** What cannot be read is not recognised; opening tells why. */
async function textOf(path: string): Promise<string | undefined> {
  return readText(path, MAX_DOCUMENT_BYTES).catch(() => undefined);
}

import { sha256, type FolderReader } from '@checkpoint-inspector/io';
import { problemOf, textOfBytes, type StoredDocument } from '../folder/index.ts';
import { readDocument, type Facts } from './document.ts';

/** Larger documents are listed with a reason; their bytes can still be had. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** One file of the folder: a string of the SDK, a damaged one, or, with neither facts nor problem, something else. */
export interface StoredFile extends StoredDocument {
  readonly name: string;
  readonly facts?: Facts;
}

/** A program names such files as it likes; others would have to be read to be told apart. */
export const NAMES = /^[^.].*\.(json|state)$/i;

export const reader: FolderReader<StoredFile> = {
  id: 'openai-agents 1',
  accepts: (name) => NAMES.test(name),
  maxBytes: MAX_DOCUMENT_BYTES,
  read: async (entry, bytes) => {
    const text = textOfBytes(await bytes());
    const { facts, problem } = readDocument(text);
    return {
      name: entry.name,
      entry,
      ...(facts ? { facts } : {}),
      ...(problem ? { problem } : { revision: sha256(text) }),
    };
  },
  failed: (entry, error) => ({ name: entry.name, entry, problem: problemOf(error) }),
};

/** @example idOf('refund.json') // 'refund'; other endings belong to the id, so that no two files share one */
export const idOf = (name: string): string => (name.endsWith('.json') ? name.slice(0, -'.json'.length) : name);

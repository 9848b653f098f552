import { decodeUtf8, sha256, type FolderReader } from '@checkpoint-inspector/io';
import { problemOf, withoutMark, type StoredDocument } from '../folder/index.ts';
import type { Facts, ReadDocument } from './document.ts';

/** Larger documents are listed with a reason; their bytes can still be had. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** One checkpoint file, read or with the reason why not. */
export interface StoredFile extends StoredDocument {
  readonly name: string;
  readonly facts?: Facts;
  /** The whole text, of files that are not checkpoints themselves. */
  readonly text?: string;
}

/** What a layout reads in the text of a file; `keepText` for files that are not checkpoints themselves. */
type ReadText = (text: string, name: string) => ReadDocument & { readonly keepText?: true };

/** Files of these names, each read by its text. */
export function textReader(
  id: string,
  accepts: (name: string) => boolean,
  readText: ReadText,
): FolderReader<StoredFile> {
  return {
    id,
    accepts,
    maxBytes: MAX_DOCUMENT_BYTES,
    read: async (entry, bytes) => {
      const stored = decodeUtf8(await bytes());
      const text = withoutMark(stored);
      const { facts, problem, keepText } = readText(text, entry.name);
      return {
        name: entry.name,
        entry,
        ...(facts ? { facts } : {}),
        ...(problem ? { problem } : { revision: sha256(text) }),
        ...(keepText ? { text: stored } : {}),
      };
    },
    failed: (entry, error) => ({ name: entry.name, entry, problem: problemOf(error) }),
  };
}

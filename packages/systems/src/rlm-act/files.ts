import { InspectorError } from '@checkpoint-inspector/core';
import { decodeUtf8, readBounded, sha256, type FileEntry, type FolderReader } from '@checkpoint-inspector/io';
import { join } from 'node:path';
import type { StoredDocument } from '../folder/index.ts';
import { crash, readDocument, type Facts, type FileProblem } from './document.ts';
import { idOfFile } from './names.ts';

/** Larger documents are listed with a reason and not written; their bytes can still be had. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

interface ReadFile extends StoredDocument {
  readonly facts: Facts;
  readonly problem?: undefined;
}

interface BadFile extends StoredDocument {
  readonly facts?: undefined;
  readonly problem: FileProblem;
}

/** One checkpoint file, read or with the reason why not. */
export type StoredFile = { readonly id: string } & (ReadFile | BadFile);

/** Files and links named `*.json`; hidden ones too, as the pipeline finds them. */
export function checkpointReader(maxBytes = MAX_DOCUMENT_BYTES): FolderReader<StoredFile> {
  return {
    id: 'rlm-act 1',
    maxBytes,
    accepts: (name) => idOfFile(name) !== undefined,
    read: async (entry, bytes) => {
      const text = textIn(await bytes());
      if (typeof text !== 'string') return { ...nameOf(entry), problem: text };
      const read = readDocument(text);
      return 'facts' in read ? { ...nameOf(entry), ...read, revision: sha256(text) } : { ...nameOf(entry), ...read };
    },
    failed: (entry, error) => ({ ...nameOf(entry), problem: problemOf(entry, error) }),
  };
}

/** The text of a file that was read as a checkpoint before. @throws InspectorError not_found | unreadable | too_large */
export async function readText(folder: string, name: string): Promise<{ text: string; bytes: Uint8Array }> {
  const bytes = await readBounded(join(folder, name), { maxBytes: MAX_DOCUMENT_BYTES });
  return { text: textOf(name, bytes), bytes };
}

/** @throws InspectorError unreadable */
export function textOf(name: string, bytes: Uint8Array): string {
  const text = textIn(bytes);
  if (typeof text === 'string') return text;
  throw new InspectorError('unreadable', `"${name}" is no longer UTF-8 text.`);
}

function textIn(bytes: Uint8Array): string | FileProblem {
  try {
    return decodeUtf8(bytes);
  } catch (cause) {
    const { message, data } = InspectorError.from(cause);
    return crash(message, 'UnicodeDecodeError', Number(data?.['offset']));
  }
}

const nameOf = (entry: FileEntry) => ({ id: idOfFile(entry.name) ?? entry.name, entry });

function problemOf(entry: FileEntry, { code, message }: InspectorError): FileProblem {
  if (entry.link) return { code: 'unreadable', message, inOriginal: 'read' };
  if (code === 'too_large') return { code, message, inOriginal: 'read' };
  return { code: 'unreadable', message, inOriginal: 'skipped' };
}

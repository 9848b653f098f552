import { readBounded } from '@checkpoint-inspector/io';
import { join } from 'node:path';
import type { StoredDocument } from './rows.ts';

/** The stored bytes: a file of the folder, or the part of it that is meant. @throws InspectorError not_found | unreadable | too_large */
export async function readStored(folder: string, { entry, slice }: StoredDocument): Promise<Uint8Array> {
  const bytes = await readBounded(join(folder, entry.name));
  return slice ? bytes.slice(slice.start, slice.end) : bytes;
}

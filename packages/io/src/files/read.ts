import { InspectorError } from '@checkpoint-inspector/core';
import { constants, type BigIntStats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { closeUnlessDatabase, isOpenDatabase } from '../sqlite/open-files.ts';
import { fileError } from './errors.ts';

/** Most bytes that one stored file or inflated document may have: 256 MiB. */
export const MAX_FILE_BYTES = 256 * 1024 * 1024;

export interface ReadLimits {
  /** Default `MAX_FILE_BYTES`. */
  readonly maxBytes?: number;
}

// O_NONBLOCK: opening a named pipe must not wait for its writer. Both flags are absent on Windows.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The bytes of one regular file, never through a link. @throws InspectorError not_found | unreadable | too_large */
export async function readBounded(path: string, limits: ReadLimits = {}): Promise<Uint8Array> {
  const maxBytes = limits.maxBytes ?? MAX_FILE_BYTES;
  return withDocument(path, (file, size) => {
    if (size > maxBytes) throw tooLarge(path, size, maxBytes);
    return readAll(file, path, size, maxBytes);
  });
}

/** The first bytes of one regular file, never through a link; all of a shorter one. @throws as readBounded */
export async function readHead(path: string, bytes: number): Promise<Uint8Array> {
  return withDocument(path, async (file) => {
    const buffer = new Uint8Array(bytes);
    const { bytesRead } = await file.read(buffer, 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  });
}

async function withDocument<T>(path: string, read: (file: FileHandle, size: number) => Promise<T>): Promise<T> {
  const file = await open(path, OPEN_FLAGS).catch((cause: unknown) => {
    throw fileError(cause, path);
  });
  const stat = await file.stat({ bigint: true }).catch(() => undefined);
  try {
    assertDocument(path, stat);
    return await read(file, Number(stat.size));
  } catch (cause) {
    throw fileError(cause, path);
  } finally {
    await closeUnlessDatabase(file, stat);
  }
}

/** @throws InspectorError unreadable */
function assertDocument(path: string, stat: BigIntStats | undefined): asserts stat is BigIntStats {
  const reason = !stat?.isFile()
    ? "isn't a regular file"
    : isOpenDatabase(stat)
      ? 'is a database that is already open here'
      : '';
  if (reason !== '') throw new InspectorError('unreadable', `"${path}" ${reason}.`, { data: { path } });
}

/** Reads to the end even if the file grows meanwhile, up to the limit. */
async function readAll(file: FileHandle, path: string, size: number, maxBytes: number): Promise<Uint8Array> {
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return new Uint8Array(buffer.buffer, buffer.byteOffset, length);
    length += bytesRead;
    if (length > maxBytes) throw tooLarge(path, length, maxBytes);
    if (length === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
  }
}

function tooLarge(path: string, size: number, maxBytes: number): InspectorError {
  return new InspectorError('too_large', `"${path}" has ${size} bytes; the limit is ${maxBytes}.`, {
    data: { path, size, maxBytes },
  });
}

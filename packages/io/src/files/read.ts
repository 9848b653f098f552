import { InspectorError } from '@checkpoint-inspector/core';
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { closeUnlessDatabase, isOpenDatabase } from '../sqlite/open-files.ts';
import { fileError } from './errors.ts';
import { JsonParts, type JsonPart, type JsonPlace } from './json-parts.ts';

/** Most bytes that one stored file or inflated document may have: 256 MiB. */
export const MAX_FILE_BYTES = 256 * 1024 * 1024;

const PIECE_BYTES = 1024 * 1024;

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

/**
 * The bytes of a small regular file without a way through the pool of threads, which costs eight times as much;
 * `undefined` where only `readBounded` has the answer, or can tell what is wrong.
 */
export function readSmall(path: string, maxBytes: number): Uint8Array | undefined {
  let file: number | undefined;
  let isDatabase = false;
  try {
    file = openSync(path, OPEN_FLAGS);
    const stat = fstatSync(file, { bigint: true });
    isDatabase = isOpenDatabase(stat);
    if (isDatabase || !stat.isFile() || stat.size > maxBytes) return undefined;
    // One byte more: a file that grows meanwhile is noticed.
    const buffer = Buffer.allocUnsafe(Number(stat.size) + 1);
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return length === Number(stat.size) ? buffer.subarray(0, length) : undefined;
  } catch {
    return undefined;
  } finally {
    // A database that is open here loses its locks with any descriptor: this one stays.
    if (file !== undefined && !isDatabase) closeSync(file);
  }
}

/** The first bytes of one regular file, never through a link; all of a shorter one. @throws as readBounded */
export async function readHead(path: string, bytes: number): Promise<Uint8Array> {
  return withDocument(path, async (file) => {
    const buffer = new Uint8Array(bytes);
    const { bytesRead } = await file.read(buffer, 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  });
}

/** Some bytes of one regular file, never through a link; fewer where it ends before. @throws as readBounded */
export async function readRange(path: string, start: number, end: number): Promise<Uint8Array> {
  return withDocument(path, (file) => rangeOf(file, start, end));
}

/**
 * Some bytes of one regular file in pieces of up to 1 MiB, in order, never through a link; to the end it has by then where
 * no `end` is named. A piece is only good during its call, since the next one takes its place. @throws as readBounded
 */
export async function readPieces(
  path: string,
  { start = 0, end = Infinity }: { readonly start?: number; readonly end?: number },
  each: (piece: Buffer) => void,
): Promise<void> {
  await withDocument(path, async (file, size) => {
    const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(PIECE_BYTES, Math.min(end, size) - start)));
    for (let at = start; at < end;) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at), at);
      if (bytesRead === 0) return;
      at += bytesRead;
      each(buffer.subarray(0, bytesRead));
    }
  });
}

/**
 * Where the values in a JSON file are whose surroundings are all split, each told with its bytes, read when asked for.
 * Other work gets its turn between them. @throws as readBounded, and what `each` throws
 */
export async function readJsonParts(
  path: string,
  isSplit: (path: JsonPlace) => boolean,
  each: (part: JsonPart, bytes: () => Promise<Uint8Array>) => Promise<void>,
): Promise<void> {
  await withDocument(path, async (file) => {
    const parts = new JsonParts(isSplit);
    for (let at = 0; ;) {
      const piece = await rangeOf(file, at, at + PIECE_BYTES);
      const found = piece.length === 0 ? parts.end() : parts.push(piece);
      for (const part of found) {
        const { start, end } = part;
        // Most parts are small, and reading each one again takes longer than all the rest.
        await each(part, async () => (start < at ? rangeOf(file, start, end) : piece.subarray(start - at, end - at)));
      }
      if (piece.length === 0) break;
      at += piece.length;
    }
  });
}

async function rangeOf(file: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(end - start);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
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

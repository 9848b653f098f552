/** What an export may overwrite: never a file of an open store. */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { BUNDLE_FORMAT, InspectorError } from '@checkpoint-inspector/core';
import { realPath } from '@checkpoint-inspector/io';
import { isInside, isSameFile } from '../copy/target.ts';
import type { StoreService } from '../stores/types.ts';

/** @param file which exists @throws InspectorError invalid_input where it belongs to one of the stores */
export function assertNotOfStore(stores: StoreService, file: string): void {
  const path = realPath(file);
  for (const { id, label, identity } of stores.list()) {
    const target = stores.origin(id)?.as.target;
    const places = [identity, target?.kind === 'path' ? target.path : undefined];
    if (!places.some((place) => place !== undefined && existsSync(place) && isOf(place, path))) continue;
    throw new InspectorError('invalid_input', `"${file}" belongs to the store "${label}", so it isn't overwritten.`, {
      remedy: 'Choose another file.',
    });
  }
}

const SIDE_FILES = ['', '-wal', '-shm', '-journal'] as const;

function isOf(place: string, file: string): boolean {
  if (statSync(place).isDirectory()) return isInside(realPath(place), file) && !isExport(file);
  return SIDE_FILES.some((end) => existsSync(place + end) && isSameFile(statSync(place + end), statSync(file)));
}

const BEGINNINGS: Readonly<Record<string, string>> = {
  '.html': '<!doctype html>',
  '.json': `{"format":"${BUNDLE_FORMAT}"`,
};

/** A project folder may hold its store and what was exported before. A database is told by its name, and never opened. */
function isExport(file: string): boolean {
  const beginning = BEGINNINGS[extname(file)];
  if (beginning === undefined || !statSync(file).isFile()) return false;
  const bytes = Buffer.alloc(beginning.length);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, bytes);
  } finally {
    closeSync(handle);
  }
  return bytes.toString() === beginning;
}

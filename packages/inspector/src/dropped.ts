/** Bundles that come as a file's content, not as a path: kept until their store is closed. */
import { createWriteStream } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { InspectorError, type StoreInfo } from '@checkpoint-inspector/core';
import { errnoOf, makeScratch, removeScratch } from '@checkpoint-inspector/io';
import { assertBundle } from './copy/target.ts';
import type { StoreService } from './stores/types.ts';

export interface Dropped {
  /** @throws InspectorError invalid_input | unreadable | unsupported_version | too_large | disk_full */
  open(content: AsyncIterable<Uint8Array>, name: string): Promise<StoreInfo[]>;
}

/**
 * Each in a folder of its own that only this user can read.
 * @example await createDropped(stores).open(file.stream(), 'case.json')
 */
export function createDropped(stores: StoreService): Dropped {
  const kept = new Map<StoreInfo['id'], string>();
  stores.onEvent(({ kind }) => {
    if (kind !== 'stores') return;
    const open = new Set(stores.list().map(({ id }) => id));
    for (const [id, folder] of kept) {
      if (open.has(id)) continue;
      kept.delete(id);
      removeScratch(folder);
    }
  });
  return {
    async open(content, name) {
      const shown = basename(name) || 'bundle.json';
      const folder = makeScratch('bundle');
      const path = join(folder, 'bundle.json');
      try {
        await write(content, path);
        const opened = await stores.open(path, shown);
        const [info] = opened;
        if (info !== undefined) {
          kept.set(info.id, folder);
          await assertOpenedBundle(stores, info);
        }
        return opened;
      } catch (error) {
        removeScratch(folder);
        throw InspectorError.is(error) ? named(error, path, shown) : error;
      }
    },
  };
}

/** The same of the file as its sender knows it: where it was put here says nothing to anybody. */
function named(error: InspectorError, path: string, name: string): InspectorError {
  const { code, message, remedy, data, cause } = error;
  // A name is put in as it is, with any "$&" in it.
  const told = (text: string): string => text.replaceAll(path, () => name);
  return new InspectorError(code, told(message), {
    remedy: told(remedy),
    cause,
    ...(data === undefined ? {} : { data: data['path'] === path ? { ...data, path: name } : data }),
  });
}

/** What else such a file may be is opened by its path, where its other files are. */
async function assertOpenedBundle(stores: StoreService, info: StoreInfo): Promise<void> {
  try {
    assertBundle(stores.origin(info.id)?.as, stores.source(info.id));
  } catch (error) {
    await stores.close(info.id);
    throw error;
  }
}

async function write(content: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  try {
    await pipeline(Readable.from(content), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (cause) {
    if (errnoOf(cause) === 'ENOSPC')
      throw new InspectorError('disk_full', `There is no space for the file in ${dirname(path)}.`, { cause });
    throw cause;
  }
}

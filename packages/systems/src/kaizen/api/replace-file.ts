import { fileError, type atomicWrite } from '@checkpoint-inspector/io';
import { randomBytes } from 'node:crypto';
import { open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Puts a whole, durable file in the place of another or of none. A crash leaves the old one, and perhaps a temporary
 * file under a name that Kaizen gives to its own, which everything that lists the folder leaves out.
 * @throws InspectorError disk_full | unsupported | no_store
 */
export async function replaceFile(
  folder: string,
  name: string,
  bytes: Uint8Array,
  write: typeof atomicWrite,
): Promise<void> {
  const temp = `tmp${randomBytes(4).toString('hex')}.tmp`;
  await write(folder, temp, bytes);
  try {
    await rename(join(folder, temp), join(folder, name));
    await syncFolder(folder);
  } catch (cause) {
    await unlink(join(folder, temp)).catch(() => undefined);
    throw fileError(cause, join(folder, name));
  }
}

/** Makes the rename durable. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // a folder cannot be opened there
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

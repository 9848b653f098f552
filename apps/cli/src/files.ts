import { randomBytes } from 'node:crypto';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InspectorError } from '@checkpoint-inspector/core';

type Content = string | AsyncIterable<string>;

/** Readable by its owner only: a state may hold what nobody else should see. */
export async function writeNew(file: string, content: Content): Promise<void> {
  try {
    await writeFile(file, content, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new InspectorError('invalid_input', `"${file}" already exists.`, {
        remedy: 'Choose another file, or overwrite it with --force.',
      });
    }
    // Half an export is none.
    await rm(file, { force: true }).catch(() => undefined);
    throw writeError(file, cause);
  }
}

/** What is there stays whole until the export is. A device or a pipe is written to as it is. */
export async function overwrite(file: string, content: Content): Promise<void> {
  try {
    if (!(await stat(file)).isFile()) return await writeFile(file, content);
    const place = await realpath(file);
    const temp = join(dirname(place), `.checkpoint-inspector-${randomBytes(8).toString('hex')}.tmp`);
    try {
      await writeFile(temp, content, { mode: 0o600, flag: 'wx' });
      await rename(temp, place);
    } catch (cause) {
      await rm(temp, { force: true }).catch(() => undefined);
      throw cause;
    }
  } catch (cause) {
    throw writeError(file, cause);
  }
}

/** What making the content threw is left as it is. */
function writeError(file: string, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (InspectorError.is(cause) || code === undefined) return cause;
  if (code === 'ENOENT')
    return new InspectorError('invalid_input', `The folder "${dirname(file)}" doesn't exist.`, {
      cause,
      remedy: 'Make it first, or choose another place for the file.',
    });
  if (code === 'ENOSPC') return new InspectorError('disk_full', `"${file}" couldn't be written.`, { cause });
  return new InspectorError('invalid_input', `"${file}" couldn't be written: ${code}.`, { cause });
}

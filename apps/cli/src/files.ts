import { lstat, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InspectorError } from '@checkpoint-inspector/core';
import { goesWithProcess, SaverTemps, takeName } from '@checkpoint-inspector/io';

type Content = string | AsyncIterable<string>;

/** Readable by its owner only: a state may hold what nobody else should see. */
export async function writeNew(file: string, content: Content): Promise<void> {
  try {
    if (await isTaken(file)) throw taken(file);
    await writeWhole(file, content, takeName);
  } catch (cause) {
    throw (cause as NodeJS.ErrnoException).code === 'EEXIST' ? taken(file) : writeError(file, cause);
  }
}

/** What is there stays whole until the export is. A device or a pipe is written to as it is. */
export async function overwrite(file: string, content: Content): Promise<void> {
  try {
    if (!(await stat(file)).isFile()) return await writeFile(file, content);
    await writeWhole(await realpath(file), content, rename);
  } catch (cause) {
    throw writeError(file, cause);
  }
}

/** Under another name first, so that half an export is none. What a killed one left there goes at a later one. */
async function writeWhole(
  file: string,
  content: Content,
  give: (temp: string, file: string) => Promise<void>,
): Promise<void> {
  const temps = new SaverTemps(dirname(file), '.checkpoint-inspector-export-');
  await temps.sweep();
  const temp = join(dirname(file), temps.name());
  const keep = goesWithProcess(temp);
  try {
    await writeFile(temp, content, { mode: 0o600, flag: 'wx' });
    await give(temp, file);
  } catch (cause) {
    await rm(temp, { force: true }).catch(() => undefined);
    throw cause;
  } finally {
    keep();
  }
}

/** By a dangling link too. */
const isTaken = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  );

const taken = (file: string): InspectorError =>
  new InspectorError('invalid_input', `"${file}" already exists.`, {
    remedy: 'Choose another file, or overwrite it with --force.',
  });

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

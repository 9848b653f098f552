import { unlink } from 'node:fs/promises';
import { tempName } from './atomic-write.ts';
import { finishRemoval, hashFile } from './file-steps.ts';
import { removeAll, removeWritten } from './files.ts';
import type { ApplyHooks, FileImage, FileMark } from './images.ts';
import { exists, pathIn, realFolder, syncFolder } from './names.ts';
import { sideOf, type Settled, type Side } from './sides.ts';

/** Reads only. */
export async function compareFiles(folder: string, marks: readonly FileMark[]): Promise<Side[]> {
  const home = await realFolder(folder);
  const sides: Side[] = [];
  for (const { path, before, after } of marks) {
    const now = await hashFile(pathIn(home, path));
    sides.push(sideOf(now === before?.sha256, now === after?.sha256));
  }
  return sides;
}

/**
 * Ends a change that was cut off. Once all is written or anything is removed it is completed; else what was written
 * is taken back. Nothing is ever put over a file that is there.
 */
export async function settleFiles(
  folder: string,
  images: readonly FileImage[],
  hooks: Omit<ApplyHooks, 'prepared'>,
): Promise<Settled> {
  const home = await realFolder(folder);
  await clearTemps(home, images, hooks.tag);
  const sides = await compareFiles(
    home,
    images.map(({ mark }) => mark),
  );
  const done = (wanted: boolean) => images.map(({ mark }, i) => Boolean(mark.after) === wanted && sides[i] === 'after');
  const written = done(true).filter(Boolean).length;
  const removed = done(false).filter(Boolean).length;
  const writes = images.filter(({ mark }) => mark.after).length;
  if (removed === 0 && (writes === 0 || written < writes)) {
    await removeWritten(home, images, hooks.tag);
    return { outcome: 'rolled-back', skipped: images.map((_, index) => index), failed: [] };
  }
  return complete(home, images, sides, hooks);
}

async function complete(
  home: string,
  images: readonly FileImage[],
  sides: readonly Side[],
  hooks: Omit<ApplyHooks, 'prepared'>,
): Promise<Settled> {
  const lost = images.flatMap(({ mark }, index) => (mark.after && sides[index] !== 'after' ? [{ index, mark }] : []));
  const failed = lost.map(({ mark }) => ({
    what: mark.path,
    reason: 'It was written, and something else changed it since.',
  }));
  const rest = await removeAll(home, images, hooks, (index) => sides[index] !== 'after');
  return {
    outcome: 'completed',
    skipped: [...lost.map(({ index }) => index), ...rest.skipped],
    failed: [...failed, ...rest.failed],
  };
}

/** Temporary files of this change: half-written ones go, a file taken away for removal is decided by its content. */
async function clearTemps(home: string, images: readonly FileImage[], tag: string): Promise<void> {
  for (const [index, { mark }] of images.entries()) {
    const half = pathIn(home, tempName(tag, `w${index}`));
    if (await exists(half)) await unlink(half);
    const taken = pathIn(home, tempName(tag, `t${index}`));
    const wanted = mark.before?.sha256 ?? mark.after?.sha256;
    if (wanted === undefined || !(await exists(taken))) continue;
    await finishRemoval(pathIn(home, mark.path), wanted, taken);
  }
  await syncFolder(home);
}

import { InspectorError } from '@checkpoint-inspector/core';
import { unlink } from 'node:fs/promises';
import { nothingDone, sideOf, type SettleHooks, type Settled, type Side } from '../executor.ts';
import { sha256 } from '../../files/text.ts';
import { removeAll, undoWrites } from './apply.ts';
import { atomicWrite, tempName } from './atomic-write.ts';
import { cutEnd, finishRemoval, hashFile, readExact } from './disk.ts';
import { doneLines, statOf, type FileImage, type FileMark } from './mark.ts';
import { exists, pathIn, realFolder, syncFolder } from './names.ts';

/** Reads only. */
export async function compareFiles(folder: string, marks: readonly FileMark[]): Promise<Side[]> {
  const home = await realFolder(folder);
  const sides: Side[] = [];
  for (const { path, before, after } of marks) {
    const now = await hashFile(pathIn(home, path));
    sides.push({ is: sideOf(now === before?.sha256, now === after?.sha256), what: path });
  }
  return sides;
}

/**
 * Completes what is all done, or all written; else undoes it. Removals alone that were cut off are never continued unasked:
 * what is gone comes back. What something else has changed is left alone.
 */
export async function settleFiles(folder: string, images: readonly FileImage[], hooks: SettleHooks): Promise<Settled> {
  const home = await realFolder(folder);
  await clearTemps(home, images, hooks.tag);
  for (const image of images) if (image.mark.tail) await clearHalfTail(home, image);
  const sides = await compareFiles(
    home,
    images.map(({ mark }) => mark),
  );
  const isDone = (index: number) => sides[index]?.is === 'after' || sides[index]?.is === 'both';
  const count = (wanted: boolean) =>
    images.filter(({ mark }, index) => Boolean(mark.after) === wanted && isDone(index)).length;
  const writes = images.filter(({ mark }) => mark.after).length;
  if (count(false) === 0 && (writes === 0 || count(true) < writes)) {
    await undoWrites(home, images, hooks.tag);
    return nothingDone(images);
  }
  if (writes === 0 && sides.some(({ is }) => is === 'before')) {
    await putBack(home, images, isDone, hooks);
    return nothingDone(images);
  }
  return complete(home, images, isDone, hooks);
}

/** A name that was taken meanwhile stays as it is. @throws InspectorError unreadable | disk_full | changed */
async function putBack(
  home: string,
  images: readonly FileImage[],
  isGone: (index: number) => boolean,
  { tag }: SettleHooks,
): Promise<void> {
  for (const [index, { mark, content }] of images.entries()) {
    if (!isGone(index)) continue;
    if (!mark.before || !content) {
      throw new InspectorError('unreadable', `The before-image of "${mark.path}" is not in the journal.`);
    }
    await atomicWrite(home, mark.path, content, { stat: statOf(mark.before.stat), temp: tempName(tag, `w${index}`) });
  }
}

async function complete(
  home: string,
  images: readonly FileImage[],
  isDone: (index: number) => boolean,
  hooks: SettleHooks,
): Promise<Settled> {
  const lost = [...images.entries()].filter(([index, { mark }]) => mark.after && !isDone(index));
  const failed = lost.map(([, { mark }]) => ({
    what: mark.path,
    reason: 'It was written, but something else has changed it since.',
  }));
  const rest = await removeAll(home, images, hooks, (index) => !isDone(index));
  const skipped = [...lost.map(([index]) => index), ...rest.skipped];
  return {
    outcome: 'completed',
    skipped,
    failed: [...failed, ...rest.failed],
    done: doneLines(images, skipped),
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

/** An end that was written in part only: it goes, if it is ours. */
async function clearHalfTail(home: string, { mark, content }: FileImage): Promise<void> {
  const { before, after } = mark;
  if (!before || !after || !content) return;
  const whole = before.size < after.size ? before : after;
  const path = pathIn(home, mark.path);
  const { bytes } = await readExact(path).catch(() => ({ bytes: new Uint8Array() }));
  const [start, end] = [bytes.subarray(0, whole.size), bytes.subarray(whole.size)];
  const isOurs = end.length < content.length && Buffer.compare(end, content.subarray(0, end.length)) === 0;
  if (end.length > 0 && isOurs && sha256(start) === whole.sha256) await cutEnd(path, whole.size, statOf(before.stat));
}

import { InspectorError, type Job } from '@checkpoint-inspector/core';
import { unlink } from 'node:fs/promises';
import { assertSamePlace, type Applied, type ApplyHooks, type FailedStep, type SettleHooks } from '../executor.ts';
import { errnoOf } from '../../files/errors.ts';
import { sha256 } from '../../files/text.ts';
import { stepsOf } from '../shape.ts';
import { atomicWrite, tempName } from './atomic-write.ts';
import { addToEnd, changedFile, cutEnd, hashFile, readExact, removeVerified } from './disk.ts';
import { isFileSteps, type TrashStep, type WriteStep } from './job.ts';
import { doneLines, statOf, storedStat, type FileImage, type FileMark } from './mark.ts';
import { changeError, exists, pathIn, realFolder, syncFolder } from './names.ts';

/** Most bytes that one change keeps for its undo: 1 GiB, all in memory at once. */
const MAX_KEPT_BYTES = 1024 ** 3;

/**
 * Changes files: first all writes, then the proof, then the removals. A failed write undoes what was written and removes
 * nothing; a failed removal is reported and the rest continues.
 * @throws InspectorError changed | disk_full | too_large | unsupported
 */
export async function applyFiles(job: Job, hooks: ApplyHooks): Promise<Applied> {
  const { ops, undo } = stepsOf('files', isFileSteps, job.steps);
  if (new Set(ops.map(({ path }) => path)).size < ops.length) {
    throw new InspectorError('internal', 'A job names the same file twice.');
  }
  const home = await realFolder(job.place);
  assertSamePlace(job.place, hooks.identity);
  const writes = ops.filter((step): step is WriteStep => step.op !== 'trash');
  const trashes = ops.filter((step): step is TrashStep => step.op === 'trash');
  const { images, failed } = await prepare(home, writes, trashes, undo === true);
  await hooks.prepared(images);
  hooks.onStep?.('intent');
  await writeAll(home, writes, images, hooks);
  hooks.onStep?.('written');
  const removed = await removeAll(home, images, hooks);
  const { skipped } = removed;
  return { images, skipped, failed: [...failed, ...removed.failed], done: doneLines(images, skipped) };
}

async function prepare(
  home: string,
  writes: readonly WriteStep[],
  trashes: readonly TrashStep[],
  undo: boolean,
): Promise<{ images: FileImage[]; failed: FailedStep[] }> {
  const images: FileImage[] = [];
  const failed: FailedStep[] = [];
  const errors: InspectorError[] = [];
  let kept = 0;
  const keep = (image: FileImage): void => {
    kept += image.content?.length ?? 0;
    if (kept > MAX_KEPT_BYTES) throw tooMuch(kept);
    images.push(image);
  };
  for (const step of writes) keep(await imageOf(home, step, undo));
  for (const step of trashes) {
    const image = await trashImage(home, step, undo).catch((error: unknown) => {
      failed.push(failure(step.path, error));
      errors.push(changeError(error, step.path));
    });
    if (image) keep(image);
  }
  if (images.length === 0 && failed.length > 0) throw nothingLeft(failed, errors);
  return { images, failed };
}

async function imageOf(home: string, step: WriteStep, undo: boolean): Promise<FileImage> {
  const { path } = step;
  if (step.op === 'create') {
    if (await exists(pathIn(home, path)))
      throw new InspectorError('changed', `"${path}" is already there.`, { data: { path } });
    return { mark: { kind: 'file', path, after: contentOf(step.bytes) } };
  }
  const { bytes, before } = await capture(home, step, undo);
  const mark = { kind: 'file', path, before } as const;
  if (step.op === 'replace') return { mark: { ...mark, after: contentOf(step.bytes) }, content: bytes };
  if (step.op === 'cut') {
    const after = contentOf(bytes.subarray(0, step.size));
    return { mark: { ...mark, after, tail: true }, content: bytes.subarray(step.size) };
  }
  if (bytes.length !== step.size) throw changedFile(pathIn(home, path));
  return { mark: { ...mark, after: contentOf(Buffer.concat([bytes, step.bytes])), tail: true }, content: step.bytes };
}

async function trashImage(home: string, step: TrashStep, undo: boolean): Promise<FileImage> {
  const { bytes, before } = await capture(home, step, undo);
  return { mark: { kind: 'file', path: step.path, before }, content: bytes };
}

const MAKE_WRITABLE = 'Make the file writable, then try again.';

async function capture(
  home: string,
  step: { readonly path: string; readonly sha256: string },
  undo: boolean,
): Promise<{ bytes: Uint8Array; before: NonNullable<FileMark['before']> }> {
  const path = pathIn(home, step.path);
  const {
    bytes,
    sha256: now,
    stat,
  } = await readExact(path).catch((error: unknown) => {
    throw errnoOf(error) === 'ELOOP' ? changedFile(path) : error; // a link now
  });
  if (now !== step.sha256) throw changedFile(path);
  if (!undo && (stat.mode & 0o222) === 0) {
    throw new InspectorError('read_only', `"${step.path}" is marked read-only, so it was not changed.`, {
      remedy: MAKE_WRITABLE,
    });
  }
  return { bytes, before: { sha256: now, size: bytes.length, stat: storedStat(stat) } };
}

function contentOf(bytes: Uint8Array): NonNullable<FileMark['after']> {
  return { sha256: sha256(bytes), size: bytes.length };
}

async function writeAll(
  home: string,
  writes: readonly WriteStep[],
  images: readonly FileImage[],
  hooks: ApplyHooks,
): Promise<void> {
  for (const [index, step] of writes.entries()) {
    try {
      await writeOne(home, step, tempName(hooks.tag, `w${index}`), () => hooks.onStep?.(`write:${index}:temp`));
    } catch (error) {
      await undoWrites(home, images.slice(0, index), hooks.tag);
      throw changeError(error, pathIn(home, step.path));
    }
    hooks.onStep?.(`write:${index}`);
  }
}

async function writeOne(home: string, step: WriteStep, temp: string, ready: () => void): Promise<void> {
  const path = pathIn(home, step.path);
  if (step.op === 'append' || step.op === 'cut') {
    if ((await hashFile(path)) !== step.sha256) throw changedFile(path);
    ready();
    return step.op === 'append' ? addToEnd(path, step.bytes, step.size, step.stat) : cutEnd(path, step.size, step.stat);
  }
  const { bytes, stat } = step;
  if (step.op === 'create') {
    const { like } = step;
    return atomicWrite(home, step.path, bytes, {
      ...(like === undefined ? {} : { like }),
      ...(stat === undefined ? {} : { stat }),
      temp,
      beforeLink: ready,
    });
  }
  return atomicWrite(home, step.path, bytes, {
    ...(stat === undefined ? { like: step.path } : { stat }),
    replace: true,
    temp,
    beforeLink: async () => {
      ready();
      if ((await hashFile(path)) === step.sha256) return;
      await unlink(pathIn(home, temp));
      throw changedFile(path);
    },
  });
}

/** Undoes the writes of a change, the last one first, where the files still are what it wrote. */
export async function undoWrites(home: string, images: readonly FileImage[], tag: string): Promise<void> {
  for (const [index, { mark, content }] of [...images.entries()].toReversed()) {
    const { before, after, tail } = mark;
    if (!after) continue;
    const path = pathIn(home, mark.path);
    if ((await hashFile(path)) !== after.sha256) continue;
    const stat = before && statOf(before.stat);
    if (!before || !stat) await removeVerified(path, after.sha256, pathIn(home, tempName(tag, `t${index}`)));
    else if (tail && before.size < after.size) await cutEnd(path, before.size, stat);
    else if (tail) await addToEnd(path, content ?? new Uint8Array(), after.size, stat);
    else if (content) await atomicWrite(home, mark.path, content, { replace: true, stat });
  }
  await syncFolder(home);
}

/** The removals of a change that are still to do: `pending` are indexes of `images`, by default all of them. */
export async function removeAll(
  home: string,
  images: readonly FileImage[],
  hooks: SettleHooks,
  pending: (index: number) => boolean = () => true,
): Promise<{ skipped: number[]; failed: FailedStep[] }> {
  const removals = [...images.entries()].filter(([index, { mark }]) => !mark.after && pending(index));
  if (removals.length > 0 && hooks.written && !(await hooks.written())) {
    const reason = 'Not removed, because the files written do not match the plan.';
    return {
      skipped: removals.map(([index]) => index),
      failed: removals.map(([, { mark }]) => ({ what: mark.path, reason })),
    };
  }
  const skipped: number[] = [];
  const failed: FailedStep[] = [];
  for (const [index, { mark }] of removals) {
    try {
      const temp = pathIn(home, tempName(hooks.tag, `t${index}`));
      await removeVerified(pathIn(home, mark.path), mark.before?.sha256 ?? '', temp, () =>
        hooks.onStep?.(`trash:${index}:taken`),
      );
      hooks.onStep?.(`trash:${index}`);
    } catch (error) {
      skipped.push(index);
      failed.push(failure(mark.path, error));
    }
  }
  await syncFolder(home);
  return { skipped, failed };
}

function failure(path: string, error: unknown): FailedStep {
  return { what: path, reason: changeError(error, path).message };
}

function tooMuch(kept: number): InspectorError {
  return new InspectorError(
    'too_large',
    `Undoing this change would need ${kept} stored bytes; the limit is ${MAX_KEPT_BYTES}.`,
    { remedy: 'Delete fewer checkpoints at a time.' },
  );
}

/** Where all failed for the same cause, that is the cause, with its remedy. */
function nothingLeft(failed: readonly FailedStep[], errors: readonly InspectorError[]): InspectorError {
  const reasons = failed.map(({ reason }) => reason).join(' ');
  const [first] = errors;
  const isSame = first !== undefined && errors.every(({ code }) => code === first.code);
  const { code, remedy } = isSame ? first : new InspectorError('changed', reasons);
  return new InspectorError(code, `Nothing could be removed. ${reasons}`, { data: { failed }, remedy });
}

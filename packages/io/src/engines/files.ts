import { InspectorError, type FileOp } from '@checkpoint-inspector/core';
import { atomicWrite, tempName } from './atomic-write.ts';
import { sha256 } from './cells.ts';
import { changedFile, hashFile, readExact, removeVerified } from './file-steps.ts';
import type { Applied, ApplyHooks, FailedStep, FileImage, FileMark, Job } from './images.ts';
import { changeError, exists, pathIn, realFolder, syncFolder } from './names.ts';

type CreateOp = Extract<FileOp, { op: 'file.create' }>;
type TrashOp = Extract<FileOp, { op: 'file.trash' }>;

/** Most bytes that one change keeps for its undo: 1 GiB, all in memory at once. */
const MAX_KEPT_BYTES = 1024 ** 3;

interface Prepared {
  readonly images: FileImage[];
  readonly failed: FailedStep[];
}

/**
 * Creates and removes files: first all writes, then the proof, then the removals. A failed write takes back what was
 * written and removes nothing; a failed removal is reported and the rest goes on.
 * @throws InspectorError changed | disk_full | too_large | unsupported
 */
export async function applyFiles(folder: string, job: Job, hooks: ApplyHooks): Promise<Applied> {
  const home = await realFolder(folder);
  const { creates, trashes } = split(job);
  const { images, failed } = await prepare(home, creates, trashes, job.undo === true);
  hooks.prepared(images);
  hooks.onStep?.('intent');
  await writeAll(home, creates, images, hooks);
  hooks.onStep?.('written');
  const removed = await removeAll(home, images, hooks);
  return { images, skipped: removed.skipped, failed: [...failed, ...removed.failed] };
}

function split(job: Job): { creates: CreateOp[]; trashes: TrashOp[] } {
  const creates = job.ops.filter((op) => op.op === 'file.create');
  const trashes = job.ops.filter((op) => op.op === 'file.trash');
  if (creates.length + trashes.length < job.ops.length || job.checks.length > 0) {
    throw new InspectorError('internal', 'A plan for a folder holds ops on rows.');
  }
  const names = job.ops.map((op) => ('path' in op ? op.path : ''));
  if (new Set(names).size < names.length) throw new InspectorError('internal', 'A plan names one file twice.');
  return { creates, trashes };
}

async function prepare(home: string, creates: CreateOp[], trashes: TrashOp[], undo: boolean): Promise<Prepared> {
  const images: FileImage[] = [];
  const failed: FailedStep[] = [];
  for (const { path, bytes } of creates) {
    if (await exists(pathIn(home, path)))
      throw new InspectorError('changed', `"${path}" is already there.`, { data: { path } });
    images.push({ mark: { kind: 'file', path, after: { sha256: sha256(bytes), size: bytes.length } } });
  }
  let kept = 0;
  for (const op of trashes) {
    const image = await capture(home, op, undo).catch((error: unknown) => {
      failed.push(failure(op.path, error));
    });
    if (!image) continue;
    kept += image.bytes?.length ?? 0;
    if (kept > MAX_KEPT_BYTES) throw tooMuch(kept);
    images.push(image);
  }
  if (images.length === 0 && failed.length > 0) throw nothingLeft(failed);
  return { images, failed };
}

async function capture(home: string, op: TrashOp, undo: boolean): Promise<FileImage> {
  const path = pathIn(home, op.path);
  const { bytes, sha256, stat } = await readExact(path);
  if (sha256 !== op.sha256) throw changedFile(path);
  if (!undo && (stat.mode & 0o222) === 0) {
    throw new InspectorError('unsupported', `"${op.path}" is marked read-only and is left alone.`);
  }
  return { mark: { kind: 'file', path: op.path, before: { sha256, size: bytes.length, stat } }, bytes };
}

async function writeAll(
  home: string,
  creates: CreateOp[],
  images: readonly FileImage[],
  hooks: ApplyHooks,
): Promise<void> {
  for (const [index, { path, bytes, like, stat }] of creates.entries()) {
    try {
      await atomicWrite(home, path, bytes, {
        ...(like === undefined ? {} : { like }),
        ...(stat === undefined ? {} : { stat }),
        temp: tempName(hooks.tag, `w${index}`),
        beforeLink: () => hooks.onStep?.(`write:${index}:temp`),
      });
    } catch (error) {
      await removeWritten(home, images.slice(0, index), hooks.tag);
      throw error;
    }
    hooks.onStep?.(`write:${index}`);
  }
}

/** Takes back the files that a change created, where they still are what it wrote. */
export async function removeWritten(home: string, images: readonly FileImage[], tag: string): Promise<void> {
  for (const [index, { mark }] of images.entries()) {
    if (!mark.after) continue;
    const path = pathIn(home, mark.path);
    if ((await hashFile(path)) !== mark.after.sha256) continue;
    await removeVerified(path, mark.after.sha256, pathIn(home, tempName(tag, `t${index}`)));
  }
  await syncFolder(home);
}

/** The removals of a change that are still to do: `pending` are indexes of `images`, by default all of them. */
export async function removeAll(
  home: string,
  images: readonly FileImage[],
  hooks: Omit<ApplyHooks, 'prepared'>,
  pending: (index: number) => boolean = () => true,
): Promise<Pick<Applied, 'skipped' | 'failed'>> {
  const removals = [...images.entries()].filter(([index, { mark }]) => mark.before && pending(index));
  if (removals.length > 0 && hooks.written && !(await hooks.written())) {
    const reason = 'Not removed: what was written does not read back as planned.';
    return {
      skipped: removals.map(([index]) => index),
      failed: removals.map(([, { mark }]) => ({ what: mark.path, reason })),
    };
  }
  const skipped: number[] = [];
  const failed: FailedStep[] = [];
  for (const [index, { mark }] of removals) {
    try {
      await removeOne(home, mark, index, hooks);
      hooks.onStep?.(`trash:${index}`);
    } catch (error) {
      skipped.push(index);
      failed.push(failure(mark.path, error));
    }
  }
  await syncFolder(home);
  return { skipped, failed };
}

async function removeOne(
  home: string,
  mark: FileMark,
  index: number,
  hooks: Omit<ApplyHooks, 'prepared'>,
): Promise<void> {
  const temp = pathIn(home, tempName(hooks.tag, `t${index}`));
  await removeVerified(pathIn(home, mark.path), mark.before?.sha256 ?? '', temp, () =>
    hooks.onStep?.(`trash:${index}:taken`),
  );
}

function failure(path: string, error: unknown): FailedStep {
  return { what: path, reason: changeError(error, path).message };
}

function tooMuch(kept: number): InspectorError {
  return new InspectorError(
    'too_large',
    `This change would keep ${kept} bytes for its undo; at most ${MAX_KEPT_BYTES} are kept.`,
    {
      remedy: 'Delete fewer checkpoints at a time.',
    },
  );
}

function nothingLeft(failed: readonly FailedStep[]): InspectorError {
  const reasons = failed.map(({ reason }) => reason).join(' ');
  return new InspectorError('changed', `Nothing could be removed. ${reasons}`, { data: { failed } });
}

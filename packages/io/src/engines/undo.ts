import { InspectorError, type FileOp, type PlanTarget } from '@checkpoint-inspector/core';
import { isRowImage, type FileImage, type Image, type Job } from './images.ts';

/**
 * The change that takes the images back. It refuses with `changed` where a row or file is no longer as the images left it.
 * @example await applyPlan(undoJob(target, journal.images(receiptId)), hooks)
 */
export function undoJob(target: PlanTarget, images: readonly Image[]): Job {
  return { target, ops: target.kind === 'folder' ? fileOps(images) : rowOps(images), checks: [], undo: true };
}

function rowOps(images: readonly Image[]) {
  return [{ op: 'rows.undo', images: images.filter(isRowImage) } as const];
}

function fileOps(images: readonly Image[]): FileOp[] {
  return images.filter((image): image is FileImage => !isRowImage(image)).map(fileOp);
}

function fileOp({ mark, bytes }: FileImage): FileOp {
  if (mark.after) return { op: 'file.trash', path: mark.path, sha256: mark.after.sha256 };
  if (mark.before && bytes) return { op: 'file.create', path: mark.path, bytes, stat: mark.before.stat };
  throw new InspectorError('unreadable', `The before-image of "${mark.path}" is not in the journal.`);
}

import { InspectorError, type Job } from '@checkpoint-inspector/core';
import type { Executor } from '../executor.ts';
import { imagesOf, marksOf } from '../shape.ts';
import { applyFiles } from './apply.ts';
import { FilesJob, type FileStep } from './job.ts';
import { isFileMark, statOf, type FileImage } from './mark.ts';
import { compareFiles, settleFiles } from './settle.ts';

/** Files of one folder, each written whole and durable or not at all. Its place is the folder's path. */
export const filesEngine: Executor = {
  engine: 'files',
  apply: applyFiles,
  compare: async (folder, marks) => compareFiles(folder, marksOf(isFileMark, marks)),
  settle: async (folder, images, hooks) => settleFiles(folder, imagesOf(isFileMark, images), hooks),
  undo: async (folder, images): Promise<Job> => {
    const ops = imagesOf(isFileMark, images).map(undoStep);
    return new FilesJob(folder, { ops, undo: true });
  },
};

function undoStep({ mark, content }: FileImage): FileStep {
  const { path, before, after } = mark;
  if (after && !before) return { op: 'trash', path, sha256: after.sha256 };
  if (!before || !content) {
    throw new InspectorError('unreadable', `The before-image of "${path}" is not in the journal.`);
  }
  const stat = statOf(before.stat);
  if (!after) return { op: 'create', path, bytes: content, stat };
  const { sha256 } = after;
  if (!mark.tail) return { op: 'replace', path, bytes: content, sha256, stat };
  if (before.size < after.size) return { op: 'cut', path, size: before.size, sha256, stat };
  return { op: 'append', path, bytes: content, size: after.size, sha256, stat };
}

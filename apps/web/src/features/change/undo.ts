/** Undo of a receipt: one call, and its result or refusal in words. */
import { InspectorError, type CheckpointRef } from '@checkpoint-inspector/core';
import * as z from 'zod/mini';
import { nameList, type NameOf } from './sentences.ts';
import type { ProofText } from './types.ts';

const ref = z.object({ task: z.string(), namespace: z.optional(z.string()), id: z.string() });
/** What an undo_conflict may say about the checkpoints that were saved meanwhile. */
const conflictData = z.object({ newer: z.array(z.union([ref, z.string()])) });

export function newerOf(error: InspectorError): readonly (CheckpointRef | string)[] {
  const parsed = conflictData.safeParse(error.data);
  if (!parsed.success) return [];
  return parsed.data.newer.map((item) => {
    if (typeof item === 'string') return item;
    const { namespace, ...rest } = item;
    return { ...rest, ...(namespace === undefined ? {} : { namespace }) };
  });
}

/** Why it was not taken back, and what can be done. */
export function undoRefusal(error: InspectorError, nameOf: NameOf): ProofText {
  const newer = newerOf(error);
  if (error.code !== 'undo_conflict' || newer.length === 0) {
    return { tone: 'warn', title: `Not undone: ${error.message}`, evidence: `Nothing was changed. ${error.remedy}` };
  }
  const refs = newer.filter((item) => typeof item !== 'string');
  const named =
    refs.length === newer.length
      ? nameList(refs, nameOf)
      : newer.map((item) => (typeof item === 'string' ? item : nameOf(item))).join(', ');
  return {
    tone: 'warn',
    title: `Not undone: it would take away ${named} too, saved since.`,
    evidence: `Nothing was changed. ${error.remedy}`,
  };
}

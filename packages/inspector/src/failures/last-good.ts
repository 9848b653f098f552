/** Last good checkpoints in a list of errors: by the rule of the diagnosis, so that every face names the same one. */
import { InspectorError, type FailedTask, type FailureGroup } from '@checkpoint-inspector/core';
import type { Looking } from '../diagnosis/branch.ts';
import type { Diagnoses } from '../diagnosis/service.ts';

/** Each one reads a branch, so only the first `most` tasks of the list are diagnosed. */
export async function withLastGood(
  groups: readonly FailureGroup[],
  most: number,
  diagnoses: Diagnoses,
  looking: Looking,
): Promise<readonly FailureGroup[]> {
  const items: FailureGroup[] = [];
  let left = most;
  for (const group of groups) {
    const chosen = group.tasks.slice(0, left);
    left -= chosen.length;
    const tasks: FailedTask[] = [];
    for (const task of chosen) tasks.push(await diagnosed(task, diagnoses, looking));
    items.push(chosen.length === 0 ? group : { ...group, tasks: [...tasks, ...group.tasks.slice(chosen.length)] });
  }
  return items;
}

/** A task that was deleted or became unreadable in the meantime stays in the list without an answer. */
async function diagnosed(one: FailedTask, diagnoses: Diagnoses, looking: Looking): Promise<FailedTask> {
  const { store, task, failed } = one;
  try {
    const { lastGood } = await diagnoses.of(store, { task, cp: failed.id, ns: failed.namespace ?? '' }, looking);
    return { ...one, diagnosed: lastGood === undefined ? {} : { lastGood: { store, ...lastGood.ref } } };
  } catch (error) {
    if (InspectorError.is(error)) return one;
    throw error;
  }
}

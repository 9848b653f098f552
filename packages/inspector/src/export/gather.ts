import { everyPage, InspectorError, refKey, refOfMeta } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointSource } from '@checkpoint-inspector/core';
import { findTask } from '../stores/lookup.ts';
import type { ExportOptions, ReadState, Subject } from './types.ts';

/** More checkpoints than these are not exported at once: the newest are. */
const MAX_CHECKPOINTS = 10_000;
/** A larger state is named, with its size and hash, and left out. */
export const MAX_STATE_BYTES = 64 * 1024 * 1024;

/** @throws InspectorError not_found (task, or a checkpoint that was named) */
export async function gather(source: CheckpointSource, options: ExportOptions): Promise<Subject> {
  const task = await findTask(source, options.task);
  const all = await newestFirst(source, options.task);
  const wanted = options.checkpoints;
  const named = wanted === undefined ? all.items : pick(all.items, wanted);
  const leftOut = all.more
    ? [
        `Only the newest ${MAX_CHECKPOINTS} ${task.atLeast ? '' : `of ${task.checkpointCount} `}checkpoints are included.`,
      ]
    : [];
  const notes = (options.annotations ?? []).flatMap(({ ref, note }) =>
    note === undefined ? [] : [[refKey(ref), note] as const],
  );
  return {
    source,
    task,
    metas: named.toReversed(),
    leftOut: wanted === undefined ? leftOut : [],
    notes: new Map(notes),
  };
}

async function newestFirst(
  source: CheckpointSource,
  task: string,
): Promise<{ items: CheckpointMeta[]; more: boolean }> {
  const items: CheckpointMeta[] = [];
  let cursor: string | undefined;
  for await (const page of everyPage((at) => source.checkpoints(task, at))) {
    items.push(...page.items);
    cursor = page.cursor;
    if (items.length >= MAX_CHECKPOINTS) break;
  }
  return { items: items.slice(0, MAX_CHECKPOINTS), more: cursor !== undefined || items.length > MAX_CHECKPOINTS };
}

function pick(items: readonly CheckpointMeta[], wanted: readonly string[]): CheckpointMeta[] {
  for (const id of wanted) {
    if (!items.some((meta) => meta.id === id))
      throw new InspectorError('not_found', `No checkpoint "${id}" in this task.`, { data: { id } });
  }
  const ids = new Set(wanted);
  return items.filter((meta) => ids.has(meta.id));
}

/** One state at a time; what cannot be read says why. Other requests get their turn before and after each. */
export async function readState(subject: Subject, meta: CheckpointMeta): Promise<ReadState> {
  await turn();
  const state = await stateOrReason(subject, meta);
  await turn();
  return state;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function stateOrReason({ source }: Subject, meta: CheckpointMeta): Promise<ReadState> {
  if (meta.problem !== undefined) return { missing: meta.problem.message };
  if (meta.sizeBytes > MAX_STATE_BYTES) return { missing: `It is larger than ${MAX_STATE_BYTES / 1024 / 1024} MB.` };
  try {
    return (
      (await source.state(refOfMeta(meta), { mostCharacters: MAX_STATE_BYTES })) ?? {
        missing: 'It is no longer in the store.',
      }
    );
  } catch (error) {
    return { missing: InspectorError.from(error).message };
  }
}

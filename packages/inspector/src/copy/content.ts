/** What of a checkpoint is copied, and whether two are the same. */
import { createHash } from 'node:crypto';
import { compact, refOfMeta, sameRef } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointRef, NewCheckpoint, State } from '@checkpoint-inspector/core';

/** Fields of the list that have the same name in a save. */
const FIELDS = [
  'stepIndex',
  'totalSteps',
  'trigger',
  'description',
  'agentId',
  'durationMs',
  'tokenUsage',
  'costUsd',
] as const;

/** A checkpoint as it is saved to the target. */
export function checkpointOf(meta: CheckpointMeta, text: string, beside: string | undefined): NewCheckpoint {
  const { task, namespace, id } = refOfMeta(meta);
  const status = meta.status === 'unknown' ? undefined : meta.status;
  return {
    task,
    id,
    text,
    ...compact({ ...fieldsOf(meta), namespace, beside, status, parent: parentOf(meta), createdAt: timeOf(meta) }),
  };
}

const fieldsOf = (meta: CheckpointMeta) => Object.fromEntries(FIELDS.map((name) => [name, meta[name]]));

/** An edge that was only inferred is inferred again from the order in the copy. */
export function parentOf(meta: CheckpointMeta): CheckpointRef | undefined {
  const { parentId, parentTaskId, taskId, namespace, lineage } = meta;
  if (parentId === undefined || (lineage !== 'recorded' && lineage !== 'sidecar')) return undefined;
  return { task: parentTaskId ?? taskId, ...(namespace ? { namespace } : {}), id: parentId };
}

function timeOf({ createdAt }: CheckpointMeta): string | undefined {
  const time = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** What makes a checkpoint another one: its state and its parent. */
export function contentOf(meta: CheckpointMeta, text: string): string {
  return digest(text, JSON.stringify(parentOf(meta) ?? null));
}

/** All else that is kept of it. @param givenTime whether the source has a time, so that the copy must have the same */
export function detailsOf(meta: CheckpointMeta, givenTime: boolean): string {
  return digest(JSON.stringify([fieldsOf(meta), meta.status, givenTime ? timeOf(meta) : null]));
}

export const hasTime = (meta: CheckpointMeta): boolean => timeOf(meta) !== undefined;

/** Short, because one is remembered for every checkpoint until the end. */
function digest(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('base64url');
}

/** Which part differs, in words; `undefined` where state and parent are the same. */
export function differenceOf(
  source: { readonly meta: CheckpointMeta; readonly state: State },
  there: { readonly meta: CheckpointMeta; readonly state: State },
): string | undefined {
  if (source.state.text !== there.state.text) return 'Another state is stored under this id.';
  const [parent, stored] = [parentOf(source.meta), parentOf(there.meta)];
  const isSame = parent === undefined || stored === undefined ? parent === stored : sameRef(parent, stored);
  return isSame ? undefined : 'The same state is stored under this id, with another parent.';
}

/** Whether a person has said anything about it. */
export const hasWords = ({ labels, note }: Pick<CheckpointMeta, 'labels' | 'note'>): boolean =>
  labels.length > 0 || note !== undefined;

/** What a target of our own has no place for. @param keepsWords labels and notes have one elsewhere */
export function notKeptOf(meta: CheckpointMeta, state: State, keepsWords: boolean): string[] {
  return [
    ...(!keepsWords && hasWords(meta) ? ['labels and notes'] : []),
    ...(meta.gitCommit === undefined ? [] : ['the commit of the code']),
    ...(meta.graphSignature === undefined ? [] : ["the graph's signature"]),
    ...(hasTime(meta) ? [] : ['a time in UTC (the copy has the time of copying)']),
    ...(state.derived === undefined ? [] : ['the stored form (the copy has the state as it is shown)']),
  ];
}

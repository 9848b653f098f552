/** What is kept beside a state: what steps wrote, what failed, what waits, and what runs next. */
import { createHash } from 'node:crypto';
import { compact } from '@checkpoint-inspector/core';
import type {
  Beside,
  CheckpointMeta,
  CheckpointRef,
  CheckpointSource,
  CheckpointStore,
  NewWrite,
  PendingWrite,
  SavedCheckpoint,
} from '@checkpoint-inspector/core';

export interface Kept {
  readonly beside?: string;
  readonly writes: readonly NewWrite[];
  /** Writes and questions that the source does not give as JSON text: too many, too large, or of a type that is not read. */
  readonly left: number;
}

type Load = Pick<CheckpointStore, 'load'>;

/** A store of our own has all of it exactly. */
export const isOurs = (source: CheckpointSource): source is CheckpointSource & Load =>
  'load' in source && typeof source.load === 'function';

export async function besideIn(source: CheckpointSource, meta: CheckpointMeta, ref: CheckpointRef): Promise<Kept> {
  if (isOurs(source)) {
    const saved = await source.load(ref);
    return { ...compact({ beside: saved?.beside }), writes: saved?.writes ?? [], left: 0 };
  }
  const beside = await source.beside?.(ref);
  if (beside === undefined) return { writes: [], left: 0 };
  const plain = plainWrites(beside.writes ?? []);
  const questions = beside.requests.filter(({ unread }) => unread !== true);
  const left = (beside.writes?.length ?? 0) - plain.length + (beside.moreWrites ?? 0);
  return {
    ...compact({ beside: nextText(beside, meta.isLatest) }),
    writes: [...plain, ...errorWrites(beside), ...questions.map(questionWrite)],
    left: left + beside.requests.length - questions.length,
  };
}

function plainWrites(writes: readonly PendingWrite[]): NewWrite[] {
  const counts = new Map<string, number>();
  return writes.flatMap(({ taskId, channel, text, node }) => {
    const index = counts.get(taskId) ?? 0;
    counts.set(taskId, index + 1);
    return text === undefined ? [] : [{ run: taskId, index, channel, text, ...compact({ node }) }];
  });
}

function errorWrites({ error, errors }: Beside): NewWrite[] {
  const all = errors ?? (error === undefined ? [] : [{ text: error }]);
  return all.map(({ text, node }, index) => ({
    run: 'errors',
    index,
    channel: '__error__',
    text: jsonOf(text),
    ...compact({ node }),
  }));
}

function questionWrite({ id, from, text }: Beside['requests'][number], index: number): NewWrite {
  const value = `{${id === undefined ? '' : `"id":${jsonOf(id)},`}"value":${jsonOf(text)}}`;
  return { run: 'questions', index, channel: '__interrupt__', text: value, ...compact({ node: from }) };
}

const jsonOf = (text: string): string => JSON.stringify(text.toWellFormed());

/** The latest names what is left to run; what has finished is named too, because a store of ours takes it out again. */
function nextText({ next, writes }: Beside, isLatest: boolean): string | undefined {
  if (next === undefined) return undefined;
  const runs = new Map(isLatest ? writes?.map(({ taskId, node }) => [taskId, node]) : []);
  const again = [...runs.values()].filter((node) => node !== undefined && next.includes(node));
  return JSON.stringify({ next: [...next, ...again] });
}

/** What has to be read back. */
export function besideDigest({ writes, beside }: Pick<Kept, 'writes' | 'beside'>): string {
  const rows = writes.map(({ run, index, channel, text, node, path }) =>
    JSON.stringify([run, index, channel, text, node ?? null, path ?? '']),
  );
  return createHash('sha256')
    .update(JSON.stringify([rows.toSorted(), beside ?? null]))
    .digest('base64url');
}

/** Of a target of our own; absent where it has no such checkpoint. */
export async function savedIn(target: CheckpointSource, ref: CheckpointRef): Promise<SavedCheckpoint | undefined> {
  return isOurs(target) ? target.load(ref) : undefined;
}

/** Writes that a target does not have yet. */
export function missingIn(saved: SavedCheckpoint | undefined, writes: readonly NewWrite[]): NewWrite[] {
  const there = new Set(saved?.writes.map(keyOf));
  return writes.filter((write) => !there.has(keyOf(write)));
}

const keyOf = ({ run, index }: NewWrite): string => JSON.stringify([run, index]);

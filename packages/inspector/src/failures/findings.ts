/** Looks through one task for failed checkpoints and for what waits for a person. */
import { compact, goodAncestors, refIn, refKey } from '@checkpoint-inspector/core';
import type {
  Beside,
  CheckpointMeta,
  CheckpointRef,
  CheckpointSource,
  Failure,
  LineageRow,
  PendingRequest,
  StoreId,
  Task,
  Pause,
} from '@checkpoint-inspector/core';
import { type KeptOutline, outlineOf } from './outline.ts';
import { answerCall, viewOf, type SystemView } from './systems.ts';
import { ANCESTORS, LATEST_BYTES, readable } from './task-index.ts';

/** A task that waits for a person: its latest checkpoint holds the questions. */
export interface Waiting {
  readonly at: { readonly store: StoreId; readonly task: string; readonly namespace?: string; readonly id: string };
  readonly title: string;
  readonly system: string;
  readonly agentId?: string;
  /** When the checkpoint was saved, ISO 8601 UTC. */
  readonly since?: string;
  /** The time as stored, where it is unknown in UTC. */
  readonly sinceText?: string;
  readonly requests: readonly PendingRequest[];
  /** The call of the owning system that continues from here. */
  readonly next?: string;
}

export interface Findings {
  readonly failures: readonly Failure[];
  readonly waiting?: Waiting;
  readonly outline: KeptOutline;
}

/** Reading a state for its error takes a few milliseconds at most; larger ones are told by their step. */
const STATE_BYTES = 256 * 1024;

export async function lookThrough(
  source: CheckpointSource,
  task: Task,
  before: Findings | undefined,
  pause: Pause,
): Promise<Findings> {
  const rows = new Map<string, LineageRow>();
  const failed: LineageRow[] = [];
  for await (const row of source.lineage(task.id)) {
    rows.set(refKey(refIn(task.id, row)), row);
    if (row.status === 'failed') failed.push(row);
    await pause();
  }
  const view = await viewOf(task.system);
  const known = new Map((before?.failures ?? []).map((failure) => [failureKey(failure.at, failure.time), failure]));
  const failures: Failure[] = [];
  for (const row of failed) {
    await pause();
    const old = known.get(failureKey(refIn(task.id, row), row.time));
    failures.push(await failureOf({ source, task, view, rows }, row, row.isLatest ? undefined : old));
  }
  const waiting = await waitingOf(source, task, view);
  const outline = await outlineOf(source, task, rows, before?.outline, pause);
  const error = failures.find(({ current }) => current)?.message;
  return { failures, ...compact({ waiting }), outline: { ...outline, ...compact({ error }) } };
}

const failureKey = (ref: CheckpointRef, time: string | undefined): string => `${refKey(ref)} ${time ?? ''}`;

interface Place {
  readonly source: CheckpointSource;
  readonly task: Task;
  readonly view: SystemView;
  readonly rows: ReadonlyMap<string, LineageRow>;
}

/** What was said before of the same save still holds, except for where the task is now and what became of its parents. */
async function failureOf(place: Place, row: LineageRow, old: Failure | undefined): Promise<Failure> {
  const { source, task } = place;
  const ref = refIn(task.id, row);
  const store = source.info.id;
  const meta = old ? undefined : await source.meta(ref);
  const beside = old ? undefined : await source.beside?.(ref);
  const message = old ? old.message : (beside?.error ?? (await messageOf(place, row, meta)));
  const agentId = old ? old.agentId : (meta?.agentId ?? task.agentId);
  const isUnsaved = old ? isSame(old.lastNotFailed, ref) : leftNone(beside);
  const before = isUnsaved && meta?.problem === undefined ? ref : await lastNotFailed(place, row);
  return {
    at: { store, ...ref },
    title: task.title,
    system: task.system,
    ...compact({ agentId, message, time: row.time }),
    current: row.isLatest,
    step: { seq: row.seq, ...compact({ stepIndex: row.stepIndex, description: row.description }) },
    ...(before === undefined ? {} : { lastNotFailed: { store, ...before } }),
  };
}

const isSame = (a: CheckpointRef | undefined, b: CheckpointRef): boolean => a !== undefined && refKey(a) === refKey(b);

/** The step that failed began from this checkpoint and saved none: the state here did not fail. */
const leftNone = (beside: Beside | undefined): boolean =>
  beside?.error !== undefined && beside.own !== true && (beside.errors?.length ?? 0) > 0;

/** The system's own words where none are kept beside the state: in the state, of the task; else what the step is called. */
async function messageOf(
  { source, task, view }: Place,
  row: LineageRow,
  meta: CheckpointMeta | undefined,
): Promise<string | undefined> {
  const ref = refIn(task.id, row);
  const named = (row.isLatest ? task.lastError : undefined) ?? row.description;
  if (!view.errorOf || (meta && (meta.problem !== undefined || meta.sizeBytes > STATE_BYTES))) return named;
  return (await readable(source, ref, STATE_BYTES, view.errorOf)) || named;
}

/** The nearest ancestor that did not fail and can be read. */
async function lastNotFailed({ source, task, rows }: Place, row: LineageRow): Promise<CheckpointRef | undefined> {
  let tried = 0;
  for (const ref of goodAncestors({ ...row }, (one) => (one.task === task.id ? rows.get(refKey(one)) : undefined))) {
    const meta = await source.meta(ref);
    if (meta && meta.problem === undefined) return ref;
    tried += 1;
    if (tried === ANCESTORS) return undefined;
  }
  return undefined;
}

async function waitingOf(source: CheckpointSource, task: Task, view: SystemView): Promise<Waiting | undefined> {
  if (task.status !== 'interrupted' || task.latestId === undefined) return undefined;
  const ref = refIn(task.id, compact({ id: task.latestId, namespace: task.latestNamespace }));
  const meta = await source.meta(ref);
  if (meta === undefined) return undefined;
  const asked = await askedAt(source, ref, meta, view);
  if (asked.requests.length === 0) return undefined;
  // The call names the questions; without them it would be a guess.
  const isRead = asked.requests.every(({ unread }) => unread !== true);
  const { requests, text } = asked;
  const next = isRead
    ? (view.answerOf?.(text) ?? answerCall(task.system, ref, requests, text, meta.createdAtText))
    : undefined;
  const { agentId, createdAt: since, createdAtText } = meta;
  return {
    at: { store: source.info.id, ...ref },
    title: task.title,
    system: task.system,
    ...compact({ agentId, since, sinceText: since === undefined ? createdAtText : undefined }),
    ...compact({ requests: asked.requests, next }),
  };
}

interface Asked {
  readonly requests: readonly PendingRequest[];
  readonly text: string;
}

const NOTHING: Asked = { requests: [], text: '' };

/** A task that waits is listed all the same, with the reason in the place of its question. */
const unreadable = (reason: string): Asked => ({ requests: [{ text: reason, unread: true }], text: '' });

async function askedAt(
  source: CheckpointSource,
  ref: CheckpointRef,
  meta: CheckpointMeta,
  view: SystemView,
): Promise<Asked> {
  const beside = await source.beside?.(ref);
  if (beside && beside.requests.length > 0) return { requests: beside.requests, text: '' };
  if (meta.problem !== undefined) return unreadable(meta.problem.message);
  const { requestsOf } = view;
  if (!requestsOf) return NOTHING;
  if (meta.sizeBytes > LATEST_BYTES) {
    return unreadable('The state is too large to read the request from here. Open the checkpoint to see it.');
  }
  return (
    (await readable(source, ref, LATEST_BYTES, (text): Asked => ({ requests: requestsOf(text), text }))) ?? NOTHING
  );
}

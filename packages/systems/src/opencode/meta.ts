import type {
  Beside,
  CheckpointMeta,
  CheckpointStatus,
  Latest,
  LineageRow,
  StoreId,
  Task,
} from '@checkpoint-inspector/core';
import { defined } from '../folder/document.ts';
import type { History, Point } from './history.ts';
import type { Session } from './sessions.ts';
import type { Origin } from './store.ts';

/** Of an answer that only calls tools, so many are named. */
const TOOLS = 3;
/** What was touched so short a time ago may be running; opencode keeps that in its memory alone. */
const RECENT_MS = 60_000;

export interface Look {
  readonly session: Session;
  readonly history: History;
  readonly now: number;
}

export function isRecent({ session, now }: Look): boolean {
  const age = now - (session.updated ?? Number.NEGATIVE_INFINITY);
  return age >= 0 && age < RECENT_MS;
}

export function toTask(store: StoreId, look: Look): Task {
  const { session, history } = look;
  const { head, points } = history;
  return defined({
    store,
    id: session.id,
    title: session.title || session.id,
    system: 'opencode',
    agentId: head?.message?.facts.at(-1)?.agent,
    checkpointCount: points.length,
    unreadable: points.filter(({ is }) => is === 'damaged').length,
    latestId: head?.id,
    status: head ? headStatus(look, head) : 'unknown',
    lastError: head?.facts?.error?.text,
    updatedAt: isoOf(session.updated),
    kind: session.isArchived ? 'archived' : undefined,
  });
}

/** `origin` is where the first checkpoint of the session comes from. */
export function toMeta(store: StoreId, look: Look, point: Point, origin: Origin | undefined): CheckpointMeta {
  const { session, history } = look;
  const { id, facts, damaged, sizeBytes, place } = point;
  const time = timeOf(point);
  return defined({
    store,
    id,
    taskId: session.id,
    ...edgeOf(point, session, place === 1 ? origin : undefined),
    seq: place,
    createdAt: isoOf(time),
    createdAtText: time === undefined ? undefined : String(time),
    timeBasis: time === undefined ? 'none' : 'utc',
    trigger: triggerOf(point),
    status: statusOf(look, point),
    description: damaged ? undefined : describe(point),
    labels: labelsOf(point),
    agentId: facts?.agent,
    durationMs: durationOf(point),
    tokenUsage: facts?.role === 'assistant' ? facts.tokens : undefined,
    costUsd: facts?.role === 'assistant' && facts.cost !== 0 ? facts.cost : undefined,
    sizeBytes,
    isLatest: point === history.head,
    problem: damaged?.problem,
  });
}

export function toLineageRow(meta: CheckpointMeta): LineageRow {
  const { id, taskId, parentId, parentTaskId, lineage, createdAt, status, seq, description, isLatest, problem } = meta;
  return defined({
    id,
    parent: parentId === undefined ? undefined : { task: parentTaskId ?? taskId, id: parentId },
    kind: lineage,
    time: createdAt,
    status,
    seq,
    description,
    isLatest,
    problem: problem?.code,
  });
}

export function latestOf({ session, history }: Look): Latest {
  const { head, points, reverted } = history;
  if (head === undefined) {
    return { basis: 'none', ...(points.length > 0 ? { note: 'opencode shows no message of this session.' } : {}) };
  }
  const ref = { task: session.id, id: head.id };
  if (reverted === 0) return { ref, basis: 'rule' };
  const those = reverted === 1 ? 'the checkpoint after this one is' : `the ${reverted} checkpoints after this one are`;
  const note = `Reverted: ${those} hidden, and opencode deletes the messages at the next prompt. "unrevert" brings them back until then.`;
  return { ref, basis: 'rule', note };
}

/** What failed at a checkpoint, and what it asked for. `read` gives a value of the stored call. */
export function besideOf(point: Point, read: (...path: string[]) => string | undefined): Beside {
  const { call, facts } = point;
  const error = call?.status === 'error' ? (read('state', 'error') ?? 'failed') : facts?.error?.text;
  const node = call?.tool;
  const asks = call?.tool === 'question' && isOpen(point) ? read('state', 'input', 'questions') : undefined;
  return {
    ...(error === undefined
      ? {}
      : { error, errors: [{ text: error, ...(node === undefined ? {} : { node }) }], own: true }),
    requests: asks === undefined ? [] : [defined({ id: call?.callId, from: 'question', text: asks })],
  };
}

const isOpen = ({ call }: Point): boolean => call?.status === 'running' || call?.status === 'pending';

function edgeOf(point: Point, session: Session, origin: Origin | undefined) {
  if (point.parent) return { parentId: point.parent.id, lineage: 'recorded' as const };
  if (origin === undefined || point.is === 'damaged') return { lineage: 'none' as const };
  const { lineage, session: other } = origin;
  return { parentId: origin.point.id, ...(other.id === session.id ? {} : { parentTaskId: other.id }), lineage };
}

/** Of the whole session: what its last message says, as far as that tells. */
function headStatus(look: Look, head: Point): CheckpointStatus {
  const last = statusOf(look, head);
  if (last !== 'completed' || head.is !== 'message') return last === 'completed' ? unfinished(look) : last;
  const { role, finish } = head.facts ?? {};
  // A prompt without an answer, or calls without the turn after them.
  return role === 'user' || finish === 'tool-calls' ? unfinished(look) : 'completed';
}

function statusOf(look: Look, { damaged, call, facts, part }: Point): CheckpointStatus {
  if (damaged) return 'unknown';
  if (part) {
    if (call?.status === 'completed') return 'completed';
    return call?.status === 'error' ? 'failed' : unfinished(look, call?.tool === 'question');
  }
  if (facts?.error) return facts.error.isAbort ? 'interrupted' : 'failed';
  return facts?.role === 'assistant' && facts.completed === undefined ? unfinished(look) : 'completed';
}

/** Only opencode itself knows whether it still runs: after a kill its rows say "running" for ever. */
function unfinished(look: Look, isQuestion = false): CheckpointStatus {
  if (!isRecent(look)) return 'interrupted';
  return isQuestion ? 'pending' : 'running';
}

function describe({ message, call, facts }: Point): string | undefined {
  if (call) return [call.tool ?? 'tool', call.title].filter((one) => one !== undefined && one !== '').join(': ');
  const parts = [...(message?.parts.values() ?? [])];
  const text = parts.map((one) => one.facts.at(-1)).find((one) => one?.type === 'text' && one.words?.trim());
  if (text?.words !== undefined) return text.words.trim();
  if (facts?.error) return facts.error.text;
  if (parts.some((one) => one.facts[0]?.type === 'compaction')) return 'compaction';
  const tools = parts.flatMap((one) => one.facts[0]?.tool ?? []);
  if (tools.length > 0) return `called ${tools.slice(0, TOOLS).join(', ')}${tools.length > TOOLS ? ', …' : ''}`;
  return facts?.role === 'assistant' ? 'answer' : facts?.role;
}

function labelsOf({ aside, facts, message }: Point): string[] {
  // A call has none of its own, and its message may have very many parts.
  const parts = facts ? [...(message?.parts.values() ?? [])] : [];
  const isCompaction = facts?.isSummary === true || parts.some((one) => one.facts[0]?.type === 'compaction');
  return [...(aside === undefined ? [] : [aside]), ...(isCompaction ? ['compaction'] : [])];
}

function triggerOf({ facts }: Point): CheckpointMeta['trigger'] | undefined {
  if (facts === undefined) return undefined;
  if (facts.error && !facts.error.isAbort) return 'error';
  return facts.role === 'user' ? 'input' : 'auto';
}

function timeOf({ call, facts }: Point): number | undefined {
  return call ? (call.end ?? call.start) : (facts?.completed ?? facts?.created);
}

function durationOf({ call, facts }: Point): number | undefined {
  const [from, to] = call ? [call.start, call.end] : [facts?.created, facts?.completed];
  return from === undefined || to === undefined || to < from ? undefined : to - from;
}

const isoOf = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString();

/** Plans over rows of messages: going back deletes what came later, and a copy has the messages until then. */
import {
  InspectorError,
  noCheckpoint,
  planList,
  type CheckpointRef,
  type Latest,
  type Plan,
  type PlanItem,
  type Precondition,
  type StoreId,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { sha256, sqliteJob, type RowsJob, type SqlRow } from '@checkpoint-inspector/io';
import { firstOfTask, frame, freeName } from '../folder/plan.ts';
import type { Message } from './contract.ts';
import type { Threads } from './threads.ts';

export interface ThreadContext {
  readonly store: StoreId;
  readonly path: string;
  readonly threads: Threads;
  readonly now: Date;
}

type CopyRequest = Extract<SystemRequest, { kind: 'restore' | 'fork' }>;

export const ONLY_THE_NEWEST =
  'Later messages come after this one: go back to a message, which deletes those behind it.';

/** @throws InspectorError not_found | unsupported | invalid_input */
export function planThreads(context: ThreadContext, request: SystemRequest): Plan {
  if (request.kind === 'delete') return planDelete(context, request);
  if (request.kind === 'edit') throw new InspectorError('unsupported', 'Messages are not edited here.');
  const isOwn = request.kind === 'restore' && (request.targetTask ?? request.ref.task) === request.ref.task;
  return isOwn ? planCut(context, request) : planCopy(context, request);
}

function placeOf({ threads }: ThreadContext, ref: CheckpointRef): number {
  const at = threads.place(ref);
  if (at === undefined) throw noCheckpoint(ref);
  return at;
}

function planCut(context: ThreadContext, request: CopyRequest): Plan {
  const { threads } = context;
  const { ref } = request;
  const messages = threads.messages(ref.task);
  const at = placeOf(context, ref);
  const later = messages.slice(at + 1);
  if (later.length === 0)
    throw new InspectorError('invalid_input', `"${ref.id}" is the newest message already.`, {
      remedy: 'Choose an older message, or copy the conversation.',
    });
  return cut(context, request, ref.task, later);
}

function planDelete(context: ThreadContext, request: Extract<SystemRequest, { kind: 'delete' }>): Plan {
  const wanted = request.refs.map((ref) => ({ ref, at: placeOf(context, ref) }));
  const { task } = firstOfTask(wanted, 'conversation').ref;
  const messages = context.threads.messages(task);
  const from = Math.min(...wanted.map(({ at }) => at));
  if (new Set(wanted.map(({ at }) => at)).size !== messages.length - from)
    throw new InspectorError('unsupported', ONLY_THE_NEWEST);
  return cut(context, request, task, messages.slice(from));
}

/** The newest messages of a conversation are deleted. */
function cut(context: ThreadContext, request: SystemRequest, task: string, gone: readonly Message[]): Plan {
  const { threads } = context;
  const { rules } = threads;
  const messages = threads.messages(task);
  const kept = messages.slice(0, messages.length - gone.length);
  const newest = kept.findLast(({ problem }) => !problem);
  const latestAfter = newest && { task, id: newest.id };
  const head = headOf(threads, task);
  const job = gone.reduce(
    (all, { id }) => all.delete(rules.tables.messages, rules.messageKey(task, id)),
    unchanged(context, task, messages).expectMax(
      rules.tables.messages,
      rules.ofThread(task),
      'rowid',
      messages.reduce((most, { rowid }) => (rowid > most ? rowid : most), 0n),
    ),
  );
  return {
    view: {
      ...frame(context, request, task, head),
      preconditions: [headStays(task, head), ...gone.map((message) => stays(task, message))],
      removes: planList(
        gone.map(({ id, stored }): PlanItem => {
          return { ref: { task, id }, reason: 'a later message', sizeBytes: stored.length };
        }),
      ),
      warnings: rules.warnings,
      ...(latestAfter && {
        latestAfter,
        proofHash: sha256(rules.state(task, kept.slice(0, kept.indexOf(newest) + 1))),
      }),
      bytesFreed: gone.reduce((sum, { stored }) => sum + stored.length, 0),
      next: rules.next(task),
    },
    job,
  };
}

function planCopy(context: ThreadContext, request: CopyRequest): Plan {
  const { threads, now } = context;
  const { rules } = threads;
  const { ref } = request;
  const messages = threads.messages(ref.task).slice(0, placeOf(context, ref) + 1);
  const thread = request.targetTask ?? freeName(ref.task, (name) => threads.thread(name) !== undefined);
  checkCopy(threads, request, thread);
  const copies = messages.map((from) => ({ from, to: rules.renamed(from, rules.copyId(from.id)) }));
  const text = rules.state(
    thread,
    copies.map(({ to }) => to),
  );
  const written = copies.toReversed().map(({ to: { id } }): CheckpointRef => ({ task: thread, id }));
  const [newest] = written;
  if (!newest) throw noCheckpoint(ref);
  const { tables } = rules;
  const job = unchanged(context, ref.task, messages)
    .expectAbsent(tables.threads, rules.threadKey(thread))
    .expectAbsent(tables.messages, rules.ofThread(thread))
    .copy(tables.threads, rules.threadKey(ref.task), {
      ...rules.copiedThread(threads.database, ref, thread, now),
      ...rules.threadKey(thread),
    });
  return {
    view: {
      ...frame(context, request, ref.task, { basis: 'none' }),
      targetTask: thread,
      preconditions: [
        { kind: 'head', task: thread },
        ...messages.map((message) => stays(ref.task, message)),
        { kind: 'absent', ref: newest },
      ],
      writes: planList(
        written.map((to): PlanItem => ({
          ref: to,
          reason: `copy from "${ref.task}"`,
          where: `a row of ${tables.messages}`,
        })),
      ),
      warnings: [],
      latestAfter: newest,
      proofHash: sha256(text),
      next: rules.next(thread),
      ...(rules.recordsCopies ? {} : { sidecar: [{ child: newest, parent: ref }] }),
    },
    job: copies.reduce(
      (all, { from, to }) =>
        all.copy(tables.messages, rules.messageKey(ref.task, from.id), rules.messageKey(thread, to.id)),
      job,
    ),
  };
}

function checkCopy(threads: Threads, request: CopyRequest, thread: string): void {
  const refuse = (message: string) => new InspectorError('invalid_input', message, { data: { targetTask: thread } });
  if (request.kind === 'fork' && request.id !== undefined) throw refuse('Copied messages get ids of their own.');
  if (thread === '') throw refuse('A conversation needs an id.');
  if (threads.thread(thread))
    throw refuse(`The conversation "${thread}" already exists. Choose a new id for the copy.`);
  if (threads.thread(request.ref.task)?.isOrphan)
    throw new InspectorError('unsupported', 'The row of this conversation is missing, so there is nothing to copy.');
}

function headOf(threads: Threads, task: string): Latest {
  const ref = threads.latest(task);
  return ref ? { ref, basis: 'rule' } : { basis: 'none' };
}

const headStays = (task: string, { ref }: Latest): Precondition => ({ kind: 'head', task, ...(ref && { ref }) });

const stays = (task: string, { id, stored }: Message): Precondition => ({
  kind: 'revision',
  ref: { task, id },
  revision: sha256(stored),
});

/** A job for as long as these messages are what was looked at. */
function unchanged({ path, threads }: ThreadContext, task: string, messages: readonly Message[]): RowsJob {
  const { tables, messageKey, content } = threads.rules;
  return messages.reduce((job, { id, stored, problem }) => {
    const equals: SqlRow = problem ? {} : { [content]: Buffer.from(stored).toString() };
    return job.expectRow(tables.messages, messageKey(task, id), equals);
  }, sqliteJob(path));
}

/** A fork by copying rows, as opencode itself forks; an edit is a fork of the edited text. */
import {
  editWarnings,
  equalNodes,
  InspectorError,
  memberOf,
  parseJson,
  planList,
  readEdit,
  sha256Hex,
  type JsonNode,
  type Plan,
  type PlanItem,
  type PlanWarning,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { sqliteJob, tableColumns, type RowsJob, type SqlRow } from '@checkpoint-inspector/io';
import { frame } from '../folder/index.ts';
import { copyOf, messagesIn, type Copy, type MessageSource } from './copy.ts';
import { isSessionId, newSessionId } from './ids.ts';
import { activeWarning, resumeCall, revisionOf, type PlanContext, type Wanted } from './plan-parts.ts';
import { titleOfFork } from './sessions.ts';
import { sessionColumns, sessionText, stateText, textsAt } from './state.ts';

type CopyRequest = Extract<SystemRequest, { kind: 'restore' | 'fork' | 'edit' }>;

/** @throws InspectorError unsupported | invalid_input | unreadable */
export async function planCopy(context: PlanContext, request: CopyRequest, wanted: Wanted): Promise<Plan> {
  const { opencode, now } = context;
  const { session, ref, look } = wanted;
  const { sources, warnings } = sourcesOf(context, request, wanted);
  const { id, title } = nameOf(context, request, session.title);
  const columns = { ...sessionColumns(opencode.database, session.id), id, title, parentID: null };
  const copy = copyOf(sources, id, sessionText(columns));
  const written = checkpointsOf(copy).map((checkpoint) => ({ task: id, id: checkpoint }));
  const [head] = written;
  if (head === undefined) throw new InspectorError('unsupported', 'There is no message to copy.');
  const reason = `${request.kind === 'edit' ? 'edit' : 'copy'} of the conversation up to ${ref.id}`;
  return {
    view: {
      ...frame(context, request, session.id, { basis: 'none' }),
      targetTask: id,
      preconditions: [{ kind: 'head', task: id }, await revisionOf(context, wanted), { kind: 'absent', ref: head }],
      writes: planList(written.map((one): PlanItem => ({ ref: one, reason, where: 'rows of message and part' }))),
      warnings: [...warnings, ...activeWarning(look)],
      latestAfter: head,
      proofHash: await sha256Hex(copy.text),
      next: resumeCall({ id }),
      sidecar: [{ child: head, parent: ref }],
    },
    job: jobOf(context, wanted, copy, { id, title, time: now.getTime() }),
  };
}

function sourcesOf({ opencode }: PlanContext, request: CopyRequest, { session, history, point }: Wanted) {
  const { session: info, messages } = textsAt(opencode.texts, session.id, history.log, point);
  const sources = messages.map((one): MessageSource => ({ info: one.info, parts: one.parts.map(({ text }) => text) }));
  const files: PlanWarning = {
    code: 'files_stay',
    message: 'Files stay as they are now: both sessions work in the same folder.',
  };
  if (request.kind !== 'edit') return { sources, warnings: [files] };
  const original = stateText(info, sources);
  const root = readEdit(request.text, { strictFor: 'opencode' });
  refuseSessionEdit(original, request.text, root);
  return { sources: messagesIn(request.text, root), warnings: [...editWarnings(original, request.text), files] };
}

/** Its members are columns, and most are opencode's own. @throws InspectorError invalid_input */
function refuseSessionEdit(original: string, text: string, root: JsonNode): void {
  const sessionIn = (node: JsonNode) => (node.kind === 'object' ? memberOf(node, 'session')?.value : undefined);
  const [was, is] = [sessionIn(parseJson(original)), sessionIn(root)];
  if (is === undefined || (was && equalNodes(original, was, text, is))) return;
  throw new InspectorError('invalid_input', 'Only messages can be edited: $.session differs from the original.', {
    data: { path: '$.session' },
  });
}

/** A target that isn't an id is taken for the title. @throws InspectorError invalid_input */
function nameOf({ opencode, now }: PlanContext, request: CopyRequest, title: string): { id: string; title: string } {
  if (request.kind === 'fork' && request.id !== undefined) {
    throw new InspectorError(
      'invalid_input',
      "opencode's ids are made of a time, so the id of a copy can't be chosen.",
    );
  }
  const { targetTask } = request;
  if (targetTask === undefined) return { id: newSessionId(now), title: titleOfFork(title) };
  if (targetTask === '') throw new InspectorError('invalid_input', 'A session needs a title.');
  if (opencode.session(targetTask)) {
    throw new InspectorError(
      'invalid_input',
      `Session "${targetTask}" already exists. Choose a new title for the copy.`,
    );
  }
  if (isSessionId(targetTask)) return { id: targetTask, title: titleOfFork(title) };
  return { id: newSessionId(now), title: targetTask };
}

/** What the reader will list: each call, and each message; the last message first. */
function checkpointsOf({ messages }: Copy): string[] {
  const ids = messages.flatMap(({ id, parts }) => [...parts.filter(({ isCall }) => isCall).map((one) => one.id), id]);
  return ids.toReversed();
}

interface NewSession {
  readonly id: string;
  readonly title: string;
  readonly time: number;
}

function jobOf(
  { path, opencode }: PlanContext,
  { session }: Wanted,
  copy: Copy,
  { id, title, time }: NewSession,
): RowsJob {
  const known = tableColumns(opencode.database, 'session');
  const all: SqlRow = {
    id,
    title,
    parent_id: null,
    share_url: null,
    revert: null,
    summary_additions: null,
    summary_deletions: null,
    summary_files: null,
    summary_diffs: null,
    cost: copy.cost,
    ...Object.fromEntries(Object.entries(copy.tokens).map(([name, value]) => [`tokens_${name}`, value])),
    time_created: time,
    time_updated: time,
    time_compacting: null,
    time_archived: null,
  };
  const set = Object.fromEntries(Object.entries(all).filter(([name]) => known.includes(name)));
  const job = sqliteJob(path)
    .expectRow('session', { id: session.id }, { title: session.title })
    .expectAbsent('session', { id })
    .copy('session', { id: session.id }, set);
  for (const message of copy.messages) {
    const { data, time: created } = message;
    const times = { time_created: created, time_updated: created };
    job.insert('message', { id: message.id, session_id: id, ...times, data });
    for (const part of message.parts) {
      job.insert('part', { id: part.id, message_id: message.id, session_id: id, ...times, data: part.data });
    }
  }
  return job;
}

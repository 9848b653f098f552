/** Changes of a chat. Each is one record behind the others, or a new file; nothing that is there is rewritten. */
import {
  editedDocument,
  editWarnings,
  emptyPlanLists,
  InspectorError,
  parseJson,
  planList,
  shellWord,
  sourceOf,
  type CheckpointRef,
  type EditRequest,
  type Plan,
  type PlanWarning,
  type RowCapabilities,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { filesJob, readBounded, sha256 } from '@checkpoint-inspector/io';
import { randomUUID } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { FoundMark, LogBasis } from '../log/index.ts';
import { FIELDS, type ChatReplay } from './replay.ts';
import { appended, copiedLine, load, messagesOf, recordOf, recordTo, type Loaded } from './written.ts';

type CopyRequest = Exclude<SystemRequest, { kind: 'delete' }>;

const ACTIVE_MS = 60_000;
const SESSION_ID = /^[0-9a-z][0-9a-z-]{7,63}$/i;

/** @throws InspectorError not_found | unsupported | invalid_input */
export async function planChat(request: SystemRequest, basis: LogBasis): Promise<Plan> {
  if (request.kind === 'delete') throw new InspectorError('unsupported', 'A log keeps its checkpoints.');
  const found = await basis.mark(request.ref);
  const refused = refusedFor(found)[request.kind];
  if (refused !== undefined) throw new InspectorError('unsupported', refused);
  const isCopy = request.kind === 'fork' || (request.targetTask ?? request.ref.task) !== request.ref.task;
  return isCopy ? planFork(request, found, basis) : planAppend(request, found, basis);
}

/** `chats/<session>/<id>.jsonl`; a project may be called "chats" too. */
function isSubagent({ file }: FoundMark): boolean {
  const folder = dirname(file.path);
  return basename(folder) !== 'chats' && basename(dirname(folder)) === 'chats';
}
const isDocument = ({ file }: FoundMark): boolean => file.name.endsWith('.json');

const OF_SUBAGENT = "Gemini CLI can't resume the session of a sub-agent, so it can't go back in it.";
const OF_DOCUMENT =
  'This is a session of an older Gemini CLI, one document that nothing can be appended to. Fork from it: the fork is a log. Or resume it once in Gemini CLI, which makes a log of it.';

/** What one checkpoint refuses, with the reason. */
export function refusedFor(found: FoundMark): RowCapabilities {
  const { problem } = found.mark;
  const why = problem
    ? `The checkpoint can't be read: ${problem.message}`
    : isSubagent(found)
      ? OF_SUBAGENT
      : undefined;
  if (why !== undefined) return { restore: why, fork: why, edit: why };
  // An edit into a new session is possible; the page edits in place.
  return isDocument(found) ? { restore: OF_DOCUMENT, edit: OF_DOCUMENT } : {};
}

/** Restore and edit: one record at the end of the file. */
async function planAppend(request: CopyRequest, found: FoundMark, basis: LogBasis): Promise<Plan> {
  const { file, mark, ref } = found;
  const bytes = await readBounded(file.path);
  const now = load(bytes, ref.task);
  const source = load(bytes.subarray(0, mark.end), ref.task).chat;
  const edit = request.kind === 'edit' ? editOf(request, source, source.text()) : undefined;
  const record = edit ? edit.record(now.chat, basis.now) : recordTo(source.messages, now.chat.messages, basis.now);
  const added = appended(bytes, record);
  const after = load(Buffer.concat([bytes, added]), ref.task);
  const child = newMark(now, after, ref.task);
  assertExact(edit?.messages ?? [...source.messages.values()], after.chat);
  return {
    view: {
      ...frame(request, found, basis, bytes),
      writes: planList([{ ref: child, reason: reasonOf(request, record), sizeBytes: added.length, where: file.name }]),
      warnings: [...(edit?.warnings ?? []), ...activeWarning(found, basis)],
      latestAfter: child,
      proofHash: sha256(after.chat.text()),
      next: `gemini --resume ${shellWord(ref.task)}`,
      sidecar: [{ child, parent: ref }],
    },
    job: filesJob(dirname(file.path)).append(basename(file.path), added, {
      expectSize: bytes.length,
      expectSha256: sha256(bytes),
    }),
  };
}

/** A new file with the lines before, under a new id of its session. */
async function planFork(request: CopyRequest, found: FoundMark, basis: LogBasis): Promise<Plan> {
  const { file, mark } = found;
  const session = await newSession(request, basis);
  const bytes = file.name.endsWith('.json') ? Buffer.alloc(0) : await readBounded(file.path);
  const lines: Buffer[] = [];
  await basis.lines({ file, start: 0, end: mark.end }, (line) => void lines.push(copiedLine(line, session)));
  const copy = Buffer.concat(lines);
  const before = load(copy, session);
  const edit =
    request.kind === 'edit' ? editOf(request, before.chat, await basis.state(request.ref), ['sessionId']) : undefined;
  const written = edit ? Buffer.concat([copy, appended(copy, edit.record(before.chat, basis.now))]) : copy;
  const after = load(written, session);
  const child = edit ? newMark(before, after, session) : { task: session, id: after.marks.at(-1)?.id ?? '' };
  if (edit) assertExact(edit.messages, after.chat);
  const minute = basis.now.toISOString().slice(0, 16).replaceAll(':', '-');
  const name = `session-${minute}-${session.slice(0, 8)}.jsonl`;
  const reason = `the records up to "${request.ref.id}" as a session of its own`;
  return {
    view: {
      ...frame(request, found, basis, bytes),
      targetTask: session,
      writes: planList([{ ref: child, reason, sizeBytes: written.length, where: name }]),
      warnings: [...(edit?.warnings ?? []), ...noteWarning(basis)],
      latestAfter: child,
      proofHash: sha256(after.chat.text()),
      next: `gemini --resume ${shellWord(session)}`,
      sidecar: [{ child: { task: session, id: after.marks[0]?.id ?? '' }, parent: found.ref }],
    },
    job: filesJob(dirname(file.path)).create(name, written, { like: basename(file.path) }),
  };
}

function frame(
  request: CopyRequest,
  { ref, start, mark, file }: FoundMark,
  { store, latest }: LogBasis,
  bytes: Uint8Array,
) {
  const head = { kind: 'head' as const, task: ref.task, ...(latest.ref && { ref: latest.ref }) };
  const revision = { kind: 'revision' as const, ref, revision: sha256(bytes.subarray(start, mark.end)) };
  const preconditions = file.name.endsWith('.json') ? [head] : [head, revision];
  return { request, store, task: ref.task, latestBefore: latest, ...emptyPlanLists(), preconditions, bytesFreed: 0 };
}

function reasonOf({ kind, ref }: CopyRequest, record: string): string {
  if (kind === 'edit') return `the edited conversation as one record behind the others, made from "${ref.id}"`;
  const how = record.startsWith('{"$rewindTo"') ? 'a rewind' : 'all its messages';
  return `one record that goes back to "${ref.id}": ${how}`;
}

/** The checkpoint that the new record makes. @throws InspectorError unsupported where it would be none of its own */
function newMark(before: Loaded, after: Loaded, task: string): CheckpointRef {
  const mark = after.marks.at(-1);
  if (mark && before.marks.every(({ id }) => id !== mark.id)) return { task, id: mark.id };
  throw new InspectorError('unsupported', 'Gemini CLI would take the change for a part of the last turn.', {
    remedy: 'Fork first, and change the fork.',
  });
}

function assertExact(wanted: readonly string[], { messages }: ChatReplay): void {
  const now = [...messages.values()];
  const isSame =
    now.length === wanted.length && wanted.every((text, at) => text.replaceAll(/[\r\n]+/g, ' ') === now[at]);
  if (!isSame)
    throw new InspectorError('unsupported', 'The session has damage that would keep the change from being exact.');
}

interface Edited {
  readonly messages: readonly string[];
  readonly warnings: readonly PlanWarning[];
  readonly record: (now: ChatReplay, at: Date) => string;
}

/** @throws InspectorError invalid_input */
function editOf(request: EditRequest, source: ChatReplay, original: string, own: readonly string[] = []): Edited {
  const text = editedDocument(request.text, original, { strictFor: 'Gemini CLI' });
  const root = parseJson(text);
  const members = new Map(
    root.kind === 'object' ? root.members.map(({ key, value }) => [key, sourceOf(text, value)]) : [],
  );
  for (const key of members.keys()) {
    if (key !== 'messages' && !FIELDS.includes(key)) throw refused(`Gemini CLI doesn't load "${key}" from a session.`);
  }
  const fixed = ['sessionId', 'projectHash', 'kind'].filter((key) => !own.includes(key));
  const changed = fixed.find((key) => members.get(key) !== source.fields.get(key));
  if (changed !== undefined) throw refused(`"${changed}" says whose session this is, so an edit can't change it.`);
  const messages = messagesOf(text);
  const record = (now: ChatReplay, at: Date): string => {
    const kept = FIELDS.filter((key) => !members.has(key) && now.fields.has(key) && key !== 'lastUpdated');
    if (kept[0] !== undefined) throw refused(`A record can't remove "${kept[0]}" from a session.`);
    const fields = [...members].filter(
      ([key, value]) => FIELDS.includes(key) && !own.includes(key) && now.fields.get(key) !== value,
    );
    return recordOf(messages, new Map(fields), at);
  };
  return { messages, record, warnings: editWarnings(original, text, ['lastUpdated', ...own]) };
}

const refused = (message: string): InspectorError => new InspectorError('invalid_input', message);

async function newSession(request: CopyRequest, basis: LogBasis): Promise<string> {
  const session = request.targetTask ?? randomUUID();
  if (!SESSION_ID.test(session)) {
    throw new InspectorError('invalid_input', `"${session.slice(0, 80)}" can't be the id of a session.`, {
      remedy: 'Use 8 to 64 letters, digits and "-", best a UUID.',
    });
  }
  const isTaken = (await basis.files()).some(({ facts }) => facts.session === session);
  if (isTaken) throw new InspectorError('invalid_input', `There already is a session "${session}".`);
  return session;
}

/** Continuing a fork starts another session, which is when Gemini CLI deletes what its cleanup takes for damaged. */
const noteWarning = ({ latest: { note } }: LogBasis): PlanWarning[] =>
  note === undefined ? [] : [{ code: 'session_note', message: note }];

function activeWarning({ file }: FoundMark, { now }: LogBasis): PlanWarning[] {
  const age = now.getTime() - file.entry.mtimeMs;
  if (age < 0 || age >= ACTIVE_MS) return [];
  const message =
    'The session was written to within the last minute. A Gemini CLI that has it open continues with what it has in memory.';
  return [{ code: 'agent_active', message }];
}

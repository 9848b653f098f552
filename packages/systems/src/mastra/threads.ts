/** Memory of Mastra's agents: a thread is a conversation, a row is a message. */
import { fromJsonText, quoteJson, type CheckpointRef } from '@checkpoint-inspector/core';
import type { SqliteDatabase, SqlRow } from '@checkpoint-inspector/io';
import { randomUUID } from 'node:crypto';
import { defined } from '../folder/document.ts';
import { recordOf, records } from '../folder/view.ts';
import type { Message, Thread, ThreadRules } from '../message-rows/contract.ts';
import { jsonOrText, wordsOf } from '../message-rows/stored.ts';
import { objectText } from '../run-row/json.ts';
import { isoOf } from '../run-row/time.ts';

export const THREADS = 'mastra_threads';
export const MESSAGES = 'mastra_messages';

interface StoredThread {
  readonly id: string;
  readonly title: string | null;
  readonly metadata: string | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly isOrphan: number;
  readonly messages: number;
  readonly size: number | null;
}

const METADATA = `CASE WHEN json_valid(t.metadata, 9) THEN json(t.metadata) END`;

function readThreads(database: SqliteDatabase): readonly Thread[] {
  const sql = `WITH m AS (SELECT thread_id, count(*) AS n, sum(octet_length(content)) AS size, max(createdAt) AS newest
      FROM ${MESSAGES} GROUP BY thread_id)
    SELECT t.id, t.title, ${METADATA} AS metadata, t.createdAt, coalesce(m.newest, t.updatedAt) AS updatedAt,
      0 AS isOrphan, coalesce(m.n, 0) AS messages, m.size FROM ${THREADS} t LEFT JOIN m ON m.thread_id = t.id
    UNION ALL SELECT m.thread_id, '', NULL, NULL, m.newest, 1, m.n, m.size FROM m
      WHERE NOT EXISTS (SELECT 1 FROM ${THREADS} t WHERE t.id = m.thread_id)`;
  return database.prepare<StoredThread>(sql).all().map(threadOf);
}

function threadOf({ id, title, metadata, createdAt, updatedAt, isOrphan, messages, size }: StoredThread): Thread {
  const clone = recordOf(recordOf(metadata === null ? undefined : fromJsonText(metadata))['clone']);
  const { sourceThreadId: task, lastMessageId } = clone;
  const parent =
    typeof task === 'string' && typeof lastMessageId === 'string' ? { task, id: lastMessageId } : undefined;
  return defined({
    id: String(id),
    title: String(title ?? ''),
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(updatedAt),
    messages,
    sizeBytes: size ?? 0,
    parent: parent && parent.task !== id ? parent : undefined,
    isOrphan: isOrphan ? true : undefined,
  });
}

interface StoredMessage {
  readonly r: bigint;
  readonly id: string;
  readonly role: string;
  readonly type: string;
  readonly createdAt: string;
  readonly content: unknown;
  readonly bytes: Uint8Array | null;
}

function readMessages(database: SqliteDatabase, thread: string): readonly Message[] {
  const sql = `SELECT rowid AS r, id, role, type, createdAt, content, CAST(content AS BLOB) AS bytes
    FROM ${MESSAGES} WHERE thread_id = ? ORDER BY createdAt, rowid`;
  return database.prepare<StoredMessage>(sql, { safeIntegers: true }).all(thread).map(messageOf);
}

function messageOf({ r: rowid, id, role, type, createdAt, content: cell, bytes }: StoredMessage): Message {
  const content = jsonOrText(cell);
  const value = recordOf(content.problem ? undefined : fromJsonText(content.text));
  const members = { id, role, type, createdAt };
  const parts = records(value['parts']);
  const failed = parts.find((part) => part['type'] === 'error');
  const isAsking = Object.keys(recordOf(recordOf(value['metadata'])['pendingToolApprovals'])).length > 0;
  const error = failed === undefined ? undefined : errorText(failed);
  return defined({
    rowid,
    id: String(id),
    role: String(role),
    createdAt: isoOf(createdAt),
    text: objectText([
      ...Object.entries(members).map(([key, text]) => [key, quoteJson(String(text))] as const),
      ['content', content.text],
    ]),
    stored: new Uint8Array(bytes ?? []),
    status: failed ? 'failed' : isAsking ? 'interrupted' : role === 'user' ? 'pending' : 'completed',
    description: wordsOf(`${role}: ${summaryOf(cell, parts)}`),
    error,
    problem: content.problem,
  });
}

function errorText(part: Readonly<Record<string, unknown>>): string {
  const { error, message, text } = part;
  const found = [recordOf(error)['message'], error, message, text].find((one) => typeof one === 'string');
  return typeof found === 'string' ? found : 'The answer ended with an error.';
}

function summaryOf(cell: unknown, parts: readonly Readonly<Record<string, unknown>>[]): string {
  const words = parts.flatMap((part) => {
    if (typeof part['text'] === 'string' && part['type'] === 'text') return [part['text']];
    const call = recordOf(part['toolInvocation'])['toolName'];
    return typeof call === 'string' ? [`[${call}]`] : part['type'] === 'error' ? [errorText(part)] : [];
  });
  return parts.length === 0 && typeof cell === 'string' ? cell : words.join(' ');
}

/** As `cloneThread` records it. */
function copiedThread(database: SqliteDatabase, { task, id }: CheckpointRef, _to: string, now: Date): SqlRow {
  const sql = `SELECT typeof(metadata) AS type, ${METADATA} AS text FROM ${THREADS} t WHERE id = ?`;
  const { type, text } = database.prepare<{ type: string; text: string | null }>(sql).get(task) ?? {
    type: 'null',
    text: null,
  };
  const time = now.toISOString();
  const clone = JSON.stringify({ sourceThreadId: task, clonedAt: time, lastMessageId: id });
  const set = `json_set(${text === null ? "'{}'" : '@text'}, '$.clone', json(@clone))`;
  const form = type === 'text' ? set : `jsonb(${set})`;
  const metadata = database
    .prepare<{ m: string | Uint8Array }>(`SELECT ${form} AS m`)
    .get({ clone, ...(text === null ? {} : { text }) })?.m;
  return { metadata: metadata ?? null, createdAt: time, updatedAt: time };
}

export const threadRules: ThreadRules = {
  system: 'mastra',
  threads: readThreads,
  messages: readMessages,
  find: (database, id) =>
    database
      .prepare<{ thread: string }>(`SELECT thread_id AS thread FROM ${MESSAGES} WHERE id = ?`)
      .all(id)
      .map(({ thread }) => thread),
  state: (thread, messages) =>
    objectText([
      ['threadId', quoteJson(thread)],
      ['messages', `[${messages.map(({ text }) => text).join(',')}]`],
    ]),
  tables: { threads: THREADS, messages: MESSAGES },
  threadKey: (id) => ({ id }),
  messageKey: (thread_id, id) => ({ thread_id, id }),
  ofThread: (thread_id) => ({ thread_id }),
  content: 'content',
  // The id of a message is the key of the whole table.
  copyId: () => randomUUID(),
  renamed: (message, id) => ({
    ...message,
    id,
    text: message.text.replace(`{"id":${quoteJson(message.id)}`, () => `{"id":${quoteJson(id)}`),
  }),
  copiedThread,
  recordsCopies: true,
  next: (thread) => `await agent.generate("…", { memory: { thread: ${quoteJson(thread)}, resource: "…" } })`,
  warnings: [
    {
      code: 'memory_kept',
      message: 'Working memory, and what was embedded of these messages for recall, stay as they are.',
    },
  ],
};

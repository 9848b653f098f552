/** What VoltAgent's agents remember: a conversation has a row a message. */
import { fromJsonText, quoteJson } from '@checkpoint-inspector/core';
import { tableShapes, type SqliteDatabase } from '@checkpoint-inspector/io';
import { defined } from '../folder/document.ts';
import { compare } from '../folder/rows.ts';
import { records, type Fields } from '../folder/view.ts';
import type { Message, Thread, ThreadRules } from '../message-rows/contract.ts';
import { jsonOrText, wordsOf } from '../message-rows/stored.ts';
import { objectText } from '../run-row/json.ts';
import { isoOf } from '../run-row/time.ts';
import { quoted } from './tables.ts';

const MESSAGE_COLUMNS = ['conversation_id', 'message_id', 'role', 'parts', 'created_at'];
const CONVERSATION_COLUMNS = ['id', 'title', 'updated_at', 'created_at'];

/** The prefixes of the tables that have conversations, in their order. */
export function conversationPrefixes(database: SqliteDatabase): readonly string[] {
  const shapes = tableShapes(database);
  const has = (name: string, columns: readonly string[]) => columns.every((column) => shapes.get(name)?.has(column));
  return [...shapes.keys()]
    .flatMap((name) => /^(.*)_messages$/s.exec(name)?.[1] ?? [])
    .filter(
      (prefix) => has(`${prefix}_messages`, MESSAGE_COLUMNS) && has(`${prefix}_conversations`, CONVERSATION_COLUMNS),
    )
    .toSorted(compare);
}

interface StoredThread {
  readonly id: string;
  readonly title: string | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly isOrphan: number;
  readonly messages: number;
  readonly size: number | null;
}

function threadOf({ id, title, createdAt, updatedAt, isOrphan, messages, size }: StoredThread): Thread {
  return defined({
    id: String(id),
    title: String(title ?? ''),
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(updatedAt),
    messages,
    sizeBytes: size ?? 0,
    isOrphan: isOrphan ? true : undefined,
  });
}

interface StoredMessage {
  readonly r: bigint;
  readonly id: string;
  readonly role: string;
  readonly createdAt: string;
  readonly parts: unknown;
  readonly metadata: string | null;
  readonly bytes: Uint8Array | null;
}

function messageOf({ r: rowid, id, role, createdAt, parts: cell, metadata, bytes }: StoredMessage): Message {
  const parts = jsonOrText(cell);
  const about = jsonOrText(metadata ?? 'null');
  const list = records(parts.problem ? undefined : fromJsonText(parts.text));
  return defined({
    rowid,
    id: String(id),
    role: String(role),
    createdAt: isoOf(createdAt),
    text: objectText([
      ['id', quoteJson(String(id))],
      ['role', quoteJson(String(role))],
      ['createdAt', quoteJson(String(createdAt))],
      ['parts', parts.text],
      ['metadata', about.text],
    ]),
    stored: new Uint8Array(bytes ?? []),
    status: role === 'user' ? 'pending' : 'completed',
    description: wordsOf(`${role}: ${list.flatMap(partWords).join(' ')}`),
    problem: parts.problem,
  });
}

function partWords({ type, text }: Fields): readonly string[] {
  if (type === 'text' && typeof text === 'string') return [text];
  return typeof type === 'string' && type.startsWith('tool-') ? [`[${type.slice('tool-'.length)}]`] : [];
}

/** @example openThreads(options, conversationRules('voltagent_memory')) */
export function conversationRules(prefix: string): ThreadRules {
  const tables = { threads: `${prefix}_conversations`, messages: `${prefix}_messages` };
  const [threads, messages] = [quoted(tables.threads), quoted(tables.messages)];
  return {
    system: 'voltagent',
    threads: (database) => {
      const sql = `WITH m AS (SELECT conversation_id, count(*) AS n, sum(octet_length(parts)) AS size,
          max(created_at) AS newest FROM ${messages} GROUP BY conversation_id)
        SELECT t.id, t.title, t.created_at AS createdAt, coalesce(m.newest, t.updated_at) AS updatedAt, 0 AS isOrphan,
          coalesce(m.n, 0) AS messages, m.size FROM ${threads} t LEFT JOIN m ON m.conversation_id = t.id
        UNION ALL SELECT m.conversation_id, '', NULL, m.newest, 1, m.n, m.size FROM m
          WHERE NOT EXISTS (SELECT 1 FROM ${threads} t WHERE t.id = m.conversation_id)`;
      return database.prepare<StoredThread>(sql).all().map(threadOf);
    },
    messages: (database, thread) => {
      const sql = `SELECT rowid AS r, message_id AS id, role, created_at AS createdAt, parts,
          metadata, CAST(parts AS BLOB) AS bytes FROM ${messages} WHERE conversation_id = ? ORDER BY created_at, rowid`;
      return database.prepare<StoredMessage>(sql, { safeIntegers: true }).all(thread).map(messageOf);
    },
    find: (database, id) => {
      const sql = `SELECT conversation_id AS thread FROM ${messages} WHERE message_id = ?`;
      const found = database.prepare<{ thread: string }>(sql).all(id);
      return found.map(({ thread }) => thread);
    },
    state: (thread, list) =>
      objectText([
        ['conversationId', quoteJson(thread)],
        ['messages', `[${list.map(({ text }) => text).join(',')}]`],
      ]),
    tables,
    threadKey: (id) => ({ id }),
    messageKey: (conversation_id, message_id) => ({ conversation_id, message_id }),
    ofThread: (conversation_id) => ({ conversation_id }),
    content: 'parts',
    // The id of a message is that of its conversation alone.
    copyId: (id) => id,
    renamed: (message) => message,
    copiedThread: (_database, _from, _to, now) => ({ created_at: now.toISOString(), updated_at: now.toISOString() }),
    recordsCopies: false,
    next: (thread) => `await agent.generateText("…", { userId: "…", conversationId: ${quoteJson(thread)} })`,
    warnings: [
      {
        code: 'memory_kept',
        message: 'Working memory, the recorded steps, and what was embedded of these messages stay as they are.',
      },
    ],
  };
}

import { compact, maskSecrets, refIn, type CheckpointMeta, type CheckpointStatus } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { fold, hashText } from './fold.ts';
import { STATE, type DocumentState } from './schema.ts';
import type { FoundCheckpoint, PendingDocument } from './types.ts';

export interface DocumentRow {
  readonly doc: number;
  readonly task: number;
  readonly namespace: string;
  readonly id: string;
  readonly mark: string;
  readonly state: DocumentState;
  readonly reason: string | null;
  readonly seq: number;
  readonly step: number | null;
  readonly status: CheckpointStatus;
  readonly size: number;
  readonly time: string | null;
  readonly description: string | null;
}

export type Documents = ReturnType<typeof createDocuments>;

const INSERT = `INSERT INTO documents
  (task, namespace, id, mark, state, reason, seq, step, status, save_trigger, agent, size, time, time_ms, description)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export function createDocuments(db: SqliteDatabase) {
  const byRef = db.prepare<{ doc: number; mark: string; seq: number }>(
    'SELECT doc, mark, seq FROM documents WHERE task = ? AND namespace = ? AND id = ?',
  );
  const insert = db.prepare(INSERT);
  const move = db.prepare('UPDATE documents SET seq = ? WHERE doc = ?');
  const drop = db.prepare('DELETE FROM documents WHERE doc = ?');
  const dropTask = db.prepare('DELETE FROM documents WHERE task = ?');
  const state = db.prepare('UPDATE documents SET state = ?, reason = ? WHERE doc = ?');
  const count = db.prepare<{ n: number | null }>('SELECT sum(n) AS n FROM counts WHERE task = ?');
  const after = db.prepare<{ doc: number }>(
    'SELECT doc FROM documents WHERE task = ? AND doc > ? ORDER BY doc LIMIT +?',
  );
  const waiting = db.prepare<Pick<DocumentRow, 'doc' | 'namespace' | 'id' | 'size' | 'description'>>(
    'SELECT doc, namespace, id, size, description FROM documents WHERE task = ? AND state = 0 ORDER BY seq DESC LIMIT +?',
  );
  const before = db.prepare<{ doc: number }>(
    'SELECT doc FROM documents WHERE task = ? AND doc < ? AND state NOT IN (3, 4) ORDER BY doc DESC LIMIT 1',
  );
  return {
    /** Its number, and whether it is to be indexed again. */
    put(task: number, meta: CheckpointMeta): { doc: number; added: boolean } {
      const mark = markOf(meta);
      const known = byRef.get(task, meta.namespace ?? '', meta.id);
      if (known?.mark === mark) {
        if (known.seq !== meta.seq) move.run(meta.seq, known.doc);
        return { doc: known.doc, added: false };
      }
      if (known) drop.run(known.doc);
      return { doc: Number(insert.run(...rowOf(task, meta, mark)).lastInsertRowid), added: true };
    },
    waiting: (task: number, taskId: string, most: number): PendingDocument[] =>
      waiting.all(task, most).map((row) => toPending(row, taskId)),
    /** The readable document before this one in the task, by number. */
    before: (task: number, doc: number) => before.get(task, doc)?.doc,
    count: (task: number) => count.get(task)?.n ?? 0,
    /** Numbers after this one, in order. */
    after: (task: number, doc: number, most: number) => after.all(task, doc, most).map((row) => row.doc),
    setState: (doc: number, next: DocumentState, reason: string | undefined) =>
      void state.run(next, reason ?? null, doc),
    drop: (doc: number) => void drop.run(doc),
    dropTask: (task: number) => void dropTask.run(task),
  };
}

/** Another one means another content. Where a system tells no hash, all that it tells stands for it. */
function markOf(meta: CheckpointMeta): string {
  const { revision, problem, status, description, sizeBytes, createdAtText, createdAt, stepIndex, trigger } = meta;
  const facts = [status, description, sizeBytes, createdAtText, createdAt, stepIndex, trigger, problem?.code];
  return `${revision ?? ''} ${hashText(JSON.stringify(facts))}`;
}

function rowOf(task: number, meta: CheckpointMeta, mark: string): (string | number | null)[] {
  const time = meta.createdAt === undefined ? Number.NaN : Date.parse(meta.createdAt);
  return [
    task,
    meta.namespace ?? '',
    meta.id,
    mark,
    meta.problem === undefined ? STATE.pending : unreadState(meta.problem.code),
    meta.problem?.message ?? null,
    meta.seq,
    meta.stepIndex ?? null,
    meta.status,
    meta.trigger ?? null,
    fold(meta.agentId ?? ''),
    meta.sizeBytes,
    meta.createdAt ?? null,
    Number.isNaN(time) ? null : time,
    meta.description === undefined ? null : maskSecrets(meta.description),
  ];
}

const unreadState = (code: string): DocumentState =>
  code === 'locked' || code === 'wrong_key' ? STATE.locked : STATE.unreadable;

type Named = Pick<DocumentRow, 'namespace' | 'id'>;

function toPending(row: Named & Pick<DocumentRow, 'doc' | 'size' | 'description'>, task: string): PendingDocument {
  const { doc, size: sizeBytes, description } = row;
  return compact({ doc, ref: refIn(task, row), sizeBytes, description: description ?? undefined });
}

export function toFound(row: DocumentRow, task: string): FoundCheckpoint {
  return compact({
    ref: refIn(task, row),
    seq: row.seq,
    stepIndex: row.step ?? undefined,
    status: row.status,
    createdAt: row.time ?? undefined,
    description: row.description ?? undefined,
    sizeBytes: row.size,
  });
}

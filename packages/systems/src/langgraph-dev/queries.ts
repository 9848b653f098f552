/** What the rules for LangGraph's tables ask, with the values of channels brought together where Python keeps them apart. */
import { InspectorError, type Beside } from '@checkpoint-inspector/core';
import type { FullRow, Key, RowSummary } from '../langgraph/queries.ts';
import { SqliteQueries } from '../langgraph/sqlite-queries.ts';
import { joinValues } from './join.ts';
import type { Typed } from './rows.ts';

/** Begins the path of a task that a channel triggered; the node's name is the rest. */
const PULLED = '~__pregel_pull, ';

export class DevQueries extends SqliteQueries {
  /** With the values of its channels, if they are stored beside it. */
  override row(thread: string, key: Key): FullRow | undefined {
    const row = super.row(thread, key);
    if (row === undefined) return undefined;
    const refused = this.#refusal(thread, row);
    return { ...row, ...(refused ? { refused } : this.#joined(thread, row)) };
  }

  /** What is refused is looked into, so that the list tells the reason. */
  override summaries(thread: string, keys: readonly Key[]): RowSummary[] {
    return super.summaries(thread, keys).map((row) => (this.#refusal(thread, row) ? { ...row, shape: 'bad' } : row));
  }

  /** Those that are refused are among them. */
  override suspects(thread: string): Key[] {
    const found = super.suspects(thread);
    const known = new Set(found.map(({ ns, id }) => `${ns}\0${id}`));
    const sql = `SELECT checkpoint_ns AS ns, checkpoint_id AS id FROM checkpoints
      WHERE thread_id = ? AND refused IS NOT NULL AND coalesce(type, 'json') IN ('json', 'msgpack')`;
    const refused = this.sql<Key>(sql).all(thread);
    return [...found, ...refused.filter(({ ns, id }) => !known.has(`${ns}\0${id}`))];
  }

  /** As it is in the file. */
  stored(thread: string, key: Key): Uint8Array | undefined {
    const row = super.row(thread, key);
    return row && (row.checkpoint ?? new Uint8Array());
  }

  /** The name under which the server knows the graph of a thread: it adds that to the metadata. */
  graphOf(thread: string): string | undefined {
    const sql = `SELECT CASE WHEN json_valid(CAST(metadata AS TEXT)) THEN json_extract(CAST(metadata AS TEXT), '$.graph_id') END AS graph
      FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY checkpoint_id DESC LIMIT 1`;
    const graph = this.sql<{ graph: unknown }>(sql).get(thread)?.graph;
    return typeof graph === 'string' && graph !== '' ? graph : undefined;
  }

  /** Writes with the nodes that their paths name, where no hash does. */
  named(thread: string, key: Key, beside: Beside): Beside {
    if (beside.writes === undefined || beside.writes.every(({ node }) => node !== undefined)) return beside;
    const sql = `SELECT DISTINCT task_id AS task, substr(task_path, ${PULLED.length + 1}) AS node FROM writes
      WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ? AND substr(task_path, 1, ${PULLED.length}) = '${PULLED}'`;
    const rows = this.sql<{ task: string; node: string }>(sql).all(thread, key.ns, key.id);
    const nodes = new Map(rows.map(({ task, node }) => [task, node]));
    const writes = beside.writes.map((write) => {
      const node = write.node ?? nodes.get(write.taskId);
      return node === undefined ? write : { ...write, node };
    });
    return { ...beside, writes };
  }

  override bytes(thread: string): number {
    const sql = 'SELECT coalesce(sum(octet_length(value)), 0) AS bytes FROM blobs WHERE thread_id = ?';
    const values = this.sql<{ bytes: number }>(sql).get(thread)?.bytes ?? 0;
    return super.bytes(thread) + values;
  }

  /** `undefined` where the checkpoint holds its values itself. */
  #joined(thread: string, row: FullRow): Partial<FullRow> | undefined {
    if (row.type !== 'msgpack' || row.checkpoint === null) return undefined;
    try {
      const joined = joinValues(row.checkpoint, (...of) => this.#value(thread, row.ns, ...of));
      return (
        joined && { checkpoint: joined.bytes, ...(joined.notes.length > 0 && { joined: joined.notes.join('; ') }) }
      );
    } catch (error) {
      if (InspectorError.is(error)) return { refused: error };
      throw error;
    }
  }

  #refusal(thread: string, key: Key): InspectorError | undefined {
    const sql = `SELECT refused FROM checkpoints
      WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ? AND refused IS NOT NULL`;
    const found = this.sql<{ refused: string }>(sql).get(thread, key.ns, key.id);
    return found && new InspectorError('unreadable', found.refused);
  }

  #value(thread: string, ns: string, channel: string, version: string): Typed | undefined {
    const sql = `SELECT type, value AS bytes FROM blobs
      WHERE thread_id = ? AND checkpoint_ns = ? AND channel = ? AND version = ?`;
    return this.sql<Typed>(sql).get(thread, ns, channel, version);
  }
}

/** Where a schema of our own keeps its states. */
import type { PoolClient } from 'pg';
import { KnownTexts, type SharedState } from '@checkpoint-inspector/core';
import {
  cutText,
  hasNodesIn,
  isDueAfterRemoval,
  readSharedFrom,
  readTextFrom,
  readTextOf,
  type SharedText,
  type StateRow,
  writeNodesTo,
  writeWholeTo,
} from '../../nodes/index.ts';
import { run, type PostgresReader } from '../../postgres/open.ts';
import { NodeTables, type Nodes } from '../rows/nodes.ts';
import { doWaiting } from '../rows/work.ts';
import { PostgresRows } from './rows.ts';

/** Written beside the checkpoints: by this engine, or by the trigger that counts. */
const OWN_TABLES: readonly string[] = ['nodes', 'tasks', 'texts'];

class PostgresNodes implements Nodes {
  readonly #writer: PostgresReader;
  /** Nobody collects while the transaction holds its locks. */
  readonly #known = new KnownTexts();

  constructor(writer: PostgresReader) {
    this.#writer = writer;
  }

  text(state: StateRow): Promise<string> {
    return readTextFrom(this.#writer, state, this.#known);
  }

  read(root: number): Promise<SharedState> {
    return readSharedFrom(this.#writer, root);
  }

  async write(text: string, before: SharedState | undefined): Promise<SharedText> {
    const { state, fresh, isCompact } = cutText(readTextOf(text), before);
    await writeNodesTo(this.#writer, fresh);
    return { state, root: state.node.id, whole: isCompact ? null : await writeWholeTo(this.#writer, text) };
  }
}

const writerOn = (client: PoolClient): PostgresReader => ({
  query: (sql, values = [], options = {}) => run(client, sql, values, options),
});

/** True for a schema of our own. */
export const hasNodeTables = (client: PoolClient, schema: string): Promise<boolean> =>
  hasNodesIn(writerOn(client), schema);

/** The rows of a schema of our own. */
export function nodeTablesIn(client: PoolClient, schema: string): NodeTables {
  return new NodeTables(new PostgresRows(client, schema, OWN_TABLES), new PostgresNodes(writerOn(client)), doWaiting);
}

/** Whether what was removed is worth a collection, which takes a transaction of its own. */
export const isCollectionDue = (client: PoolClient, { removed }: NodeTables): Promise<boolean> =>
  isDueAfterRemoval(writerOn(client), removed);

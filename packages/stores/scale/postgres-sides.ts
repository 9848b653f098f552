/** What is compared in PostgreSQL. */
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import type { TestPostgres } from '@checkpoint-inspector/io/testing';
import { openPostgresStore } from '../src/postgres/store.ts';
import type { AgentState, Step } from './workload.ts';

export interface Side {
  save(step: Step, before: AgentState | undefined): Promise<unknown>;
  close(): Promise<void>;
}

export async function saver(url: string, task = 't'): Promise<Side> {
  const langgraph = PostgresSaver.fromConnString(url, { schema: 'langgraph' });
  await langgraph.setup();
  const configOf = (id: string | undefined) => ({
    configurable: { thread_id: task, checkpoint_ns: '', ...(id === undefined ? {} : { checkpoint_id: id }) },
  });
  const versions: Record<string, number> = {};
  return {
    // Only what a step has changed gets a new version, as in a graph.
    save: (step, before) => {
      const n = Number(step.id.slice(1));
      const values: Record<string, unknown> = { ...step.state };
      const was: Record<string, unknown> = { ...before };
      const changed = Object.keys(values).filter((channel) => values[channel] !== was[channel]);
      for (const channel of changed) versions[channel] = n + 1;
      const checkpoint = {
        v: 4,
        id: step.id,
        ts: new Date().toISOString(),
        channel_values: values,
        channel_versions: { ...versions },
        versions_seen: {},
      };
      const news = Object.fromEntries(changed.map((channel) => [channel, n + 1]));
      return langgraph.put(configOf(step.parent), checkpoint, { source: 'loop', step: n, parents: {} }, news);
    },
    close: () => langgraph.end(),
  };
}

export async function rows(db: TestPostgres): Promise<Side> {
  await db.run('CREATE SCHEMA full_rows; CREATE TABLE full_rows.rows (id text PRIMARY KEY, parent text, text text)');
  const insert = 'INSERT INTO full_rows.rows VALUES ($1, $2, $3)';
  return {
    save: ({ id, parent, state }) => db.run(insert, [id, parent ?? null, JSON.stringify(state)]),
    close: async () => undefined,
  };
}

export async function ours(url: string, schema: string, { immutable = false, task = 't' } = {}): Promise<Side> {
  const store = await openPostgresStore({ url, schema });
  return {
    save: ({ id, parent, state }) => {
      const lineage = parent === undefined ? {} : { parent: { task, id: parent } };
      return store.save({ task, id, ...lineage, value: state }, { immutable });
    },
    close: () => store.close(),
  };
}

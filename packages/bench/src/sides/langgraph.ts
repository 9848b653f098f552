import { join } from 'node:path';
import type { Checkpoint } from '@langchain/langgraph-checkpoint';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { loadDriver } from '@checkpoint-inspector/io';
import { KEEP, sortable, type Side, type SideKind, type Step } from './side.ts';

const THREAD = 't';
/** It has no pruning of its own, so a program does it by SQL. */
const OLDER = `DELETE FROM checkpoints WHERE checkpoint_id <=
  (SELECT checkpoint_id FROM checkpoints ORDER BY checkpoint_id DESC LIMIT 1 OFFSET ?)`;

/** LangGraph's own saver, over the same SQLite driver. */
export const sqliteSaver: SideKind = {
  name: 'langgraph',
  label: "LangGraph's SqliteSaver",
  isWhole: true,
  open: async (folder, keep = KEEP) => openSaver(join(folder, 'langgraph.db'), keep),
};

function openSaver(path: string, keep: number): Side {
  const Database = loadDriver();
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  const saver = new SqliteSaver(db);
  const configOf = (id: string | undefined) => ({
    configurable: {
      thread_id: THREAD,
      checkpoint_ns: '',
      ...(id === undefined ? {} : { checkpoint_id: sortable(id) }),
    },
  });
  const save = async (step: Step) =>
    void (await saver.put(configOf(step.parent), checkpointOf(step), {
      source: 'loop',
      step: stepOf(step),
      parents: {},
    }));
  return {
    save,
    value: async (id) => (await saver.getTuple(configOf(id)))?.checkpoint.channel_values,
    async page(limit) {
      let count = 0;
      for await (const { checkpoint } of saver.list(configOf(undefined), { limit }))
        count += checkpoint.id === '' ? 0 : 1;
      return count;
    },
    async prune(step) {
      await save(step);
      db.prepare(OLDER).run(keep);
    },
    close: async () => void db.close(),
  };
}

const stepOf = ({ id }: Step): number => Number(id.slice(1));

function checkpointOf(step: Step): Checkpoint {
  const channels = Object.keys(step.state);
  const versions = Object.fromEntries(channels.map((channel) => [channel, stepOf(step) + 1]));
  return {
    v: 4,
    id: sortable(step.id),
    ts: new Date().toISOString(),
    channel_values: { ...step.state },
    channel_versions: versions,
    versions_seen: {},
  };
}

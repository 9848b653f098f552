/** Databases of every system that keeps its checkpoints in SQLite, as their agents write them. */
import { openSqlite } from '@checkpoint-inspector/io';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { CheckpointManager, openCheckpointDatabase } from '@checkpoint-inspector/apis/ctx-sys';
import { LANGGRAPH_DDL, langgraphRow, newerId } from '@checkpoint-inspector/systems/langgraph';

/** An agent that saves to its database. */
export interface Agent {
  /** Resolves when the save is acknowledged; returns the checkpoint's id. */
  save(step: number, content: string): Promise<string>;
  close(): Promise<void>;
}

export const TASK = 'run';
export const SYSTEMS = ['native', 'langgraph', 'ctx-sys'] as const;
export type SystemName = (typeof SYSTEMS)[number];

/** Characters beyond which a state is read by a thread. */
export const BIG = 9_000_000;

export function openAgent(system: SystemName, path: string, task = TASK): Promise<Agent> {
  return AGENTS[system](path, task);
}

const AGENTS: Readonly<Record<SystemName, (path: string, task: string) => Promise<Agent>>> = {
  native: async (path, task) => {
    const store = await openSqliteStore({ path });
    return {
      save: async (step, content) =>
        (await store.save({ task, id: `${task}-${step}`, text: JSON.stringify({ n: step, content }) })).id,
      close: () => store.close(),
    };
  },
  langgraph: async (path, task) => {
    const db = openSqlite(path, { readOnly: false, create: true });
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.exec(LANGGRAPH_DDL);
    let newest: string | undefined;
    const columns = [
      'thread_id',
      'checkpoint_ns',
      'checkpoint_id',
      'parent_checkpoint_id',
      'type',
      'checkpoint',
      'metadata',
    ];
    const insert = db.prepare(`INSERT INTO checkpoints (${columns.join(', ')}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
    return {
      save: async (step, content) => {
        const now = new Date();
        const { id } = newerId(newest, step, now);
        const parent = newest === undefined ? {} : { parent: newest };
        const values = { n: step, content };
        const row = langgraphRow({ thread: task, id, ts: now.toISOString(), source: 'loop', step, values, ...parent });
        insert.run(...columns.map((name) => row[name] ?? null));
        newest = id;
        return id;
      },
      close: async () => db.close(),
    };
  },
  'ctx-sys': async (path, task) => {
    const database = openCheckpointDatabase({ path });
    const manager = new CheckpointManager(database, { maxCheckpointsPerSession: 5_000 });
    return {
      save: async (step, content) => {
        const plan = [{ id: 's', description: 'go on', action: 'go', parameters: {}, status: 'running' as const }];
        const state = { query: content, plan, currentStepIndex: step, results: [], context: {} };
        return (await manager.save(task, 'project', state)).id;
      },
      close: async () => database.close(),
    };
  },
};

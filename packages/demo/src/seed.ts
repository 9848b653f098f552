import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import type { SqliteStoreOptions } from '@checkpoint-inspector/stores/sqlite';
import type { CheckpointStore } from '@checkpoint-inspector/core';
import { seedBig } from './big.ts';
import { seedAgentFramework } from './agent-framework.ts';
import { seedCtxSys } from './ctx-sys.ts';
import { seedDeepWorker } from './deep-worker.ts';
import { seedKaizen } from './kaizen.ts';
import { seedLangGraph } from './langgraph.ts';
import { seedResearch } from './research.ts';
import { seedRlmAct } from './rlm-act.ts';
import { seedSoak } from './soak.ts';

/** Writes every store of the demo and says where they are, in the order in which they are opened. */
export async function seedStores(folder: string, now: Date): Promise<string[]> {
  const inFolder = (...path: string[]): string => join(folder, ...path);
  const research = inFolder('research.db');
  await seedSqlite({ path: research, maxPerTask: 10 }, (store) => seedResearch(store, now));
  const kaizen = inFolder('.kaizen', 'checkpoints');
  await seedKaizen(kaizen, now);
  const langgraph = inFolder('checkpoints.sqlite');
  seedLangGraph(langgraph, now);
  const ctxSys = inFolder('.ctx-sys', 'ctx-sys.db');
  await mkdir(inFolder('.ctx-sys'), { mode: 0o700 });
  await seedCtxSys(ctxSys, now);
  const workflows = inFolder('workflows');
  await seedAgentFramework(workflows, now);
  await seedRlmAct(inFolder('code-migration'), now);
  const agents = inFolder('agents.db');
  await seedSoak(agents, now);
  await seedBig(agents, now);
  const snapshots = inFolder('snapshots.db');
  await seedSqlite({ path: snapshots, maxPerTask: 10 }, (store) => seedDeepWorker(store, now));
  return [
    research,
    kaizen,
    langgraph,
    ctxSys,
    workflows,
    inFolder('code-migration', '.rlm-act-checkpoints'),
    agents,
    snapshots,
  ];
}

/** Closed afterwards, so that all of it is in the one file. */
async function seedSqlite(options: SqliteStoreOptions, seed: (store: CheckpointStore) => Promise<void>): Promise<void> {
  const store = await openSqliteStore(options);
  await seed(store);
  await store.close();
}

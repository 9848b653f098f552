import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckpointRef, CheckpointStore } from '@checkpoint-inspector/core';
import { makeScratch, removeScratch } from '@checkpoint-inspector/io';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { seedAgentFramework } from './agent-framework.ts';
import { startAgents, type Agents } from './agents.ts';
import { seedBig } from './big.ts';
import { seedCtxSys } from './ctx-sys.ts';
import { seedDeepWorker } from './deep-worker.ts';
import { seedGeminiCli } from './gemini-cli.ts';
import { seedKaizen } from './kaizen.ts';
import { seedLangGraph } from './langgraph.ts';
import { seedMastra } from './mastra.ts';
import { keepPristine } from './pristine.ts';
import { seedResearch } from './research.ts';
import { RLM_ACT_MARKS, seedRlmAct } from './rlm-act.ts';
import { seedSoak } from './soak.ts';

export { startLiveAgent } from './agents.ts';
export { startLaneAgent } from './lane-agent.ts';
export type { LaneAgent } from './lane-agent.ts';
export { seedResearch } from './research.ts';

export interface Demo {
  /** A private folder that holds the demo stores; gone after `remove`. */
  readonly folder: string;
  readonly targets: readonly string[];
  /** What the inspector itself would have kept of earlier work on these stores; for the journal. */
  readonly marks: readonly StoreMarks[];
  /** The folder for what the inspector itself keeps; `restore` leaves it alone. */
  readonly journal: string;
  /** Starts the scripted agents that save as long as the demo runs. */
  startAgents(): Promise<void>;
  /** Tells the agents which scene is on: before the fifth one the old run tries again. */
  enter(scene: number): Promise<void>;
  /** Stops the agents and puts every file back byte for byte. Close the stores before. */
  restore(): Promise<void>;
  remove(): Promise<void>;
}

/** Bookmarks, and parents that the store cannot hold. */
interface StoreMarks {
  /** One of `targets`. */
  readonly target: string;
  readonly edges: readonly { readonly child: CheckpointRef; readonly parent: CheckpointRef }[];
  readonly bookmarks: readonly CheckpointRef[];
}

interface DemoOptions {
  /** The demo's stories end at this time: the same time gives the same bytes. */
  readonly now?: Date;
  /** Between two saves of the live agent. */
  readonly everyMs?: number;
  /** Between two saves on the lane that a correction begins. */
  readonly laneEveryMs?: number;
}

const JOURNAL = 'journal';
/** The story loses nothing in seven scenes, however often they are played: run, correction, retry and restore. */
const STORY_ROOM = 40;
/** Here a save evicts the oldest: the store of the small task that shows it. */
const CRAMPED = 10;
/** In this scene the old run has just failed again. */
const RETRY_SCENE = 5;

/** Writes the demo stores into a new private folder. */
export async function createDemo({ now = new Date(), ...pace }: DemoOptions = {}): Promise<Demo> {
  const folder = makeScratch('demo');
  const targets = await seedStores(folder, now);
  const pristine = await keepPristine(folder, [JOURNAL]);
  let agents: Agents | undefined;
  const stopAgents = async (): Promise<void> => {
    await agents?.stop();
    agents = undefined;
  };
  return {
    folder,
    targets,
    marks: [{ target: join(folder, 'code-migration', '.rlm-act-checkpoints'), ...RLM_ACT_MARKS }],
    journal: join(folder, JOURNAL),
    async startAgents() {
      agents ??= await startAgents(folder, pace);
    },
    async enter(scene) {
      if (scene === RETRY_SCENE) await agents?.lane.retryOldRun();
    },
    async restore() {
      await stopAgents();
      await pristine.restore();
    },
    async remove() {
      await stopAgents();
      removeScratch(folder);
    },
  };
}

/** Writes every store of the demo and says where they are, in the order in which they are opened. */
async function seedStores(folder: string, now: Date): Promise<string[]> {
  const inFolder = (...path: string[]): string => join(folder, ...path);
  const research = inFolder('research.db');
  const kaizen = inFolder('.kaizen', 'checkpoints');
  const langgraph = inFolder('checkpoints.sqlite');
  const ctxSys = inFolder('.ctx-sys', 'ctx-sys.db');
  const workflows = inFolder('workflows');
  const agents = inFolder('agents.db');
  const snapshots = inFolder('snapshots.db');
  const mastra = inFolder('mastra.db');
  const gemini = inFolder('.gemini');
  await seedSqlite(research, STORY_ROOM, (store) => seedResearch(store, now));
  await seedKaizen(kaizen, now);
  seedLangGraph(langgraph, now);
  await mkdir(inFolder('.ctx-sys'), { mode: 0o700 });
  await seedCtxSys(ctxSys, now);
  await seedAgentFramework(workflows, now);
  const rlmAct = await seedRlmAct(inFolder('code-migration'), now);
  await seedSoak(agents, now);
  await seedBig(agents, now);
  await seedSqlite(snapshots, CRAMPED, (store) => seedDeepWorker(store, now));
  seedMastra(mastra, now);
  await seedGeminiCli(gemini, now);
  return [research, kaizen, langgraph, ctxSys, workflows, rlmAct, agents, snapshots, mastra, gemini];
}

/** A store that keeps so many per task; closed afterwards, so that all of it is in the one file. */
async function seedSqlite(
  path: string,
  maxPerTask: number,
  seed: (store: CheckpointStore) => Promise<void>,
): Promise<void> {
  const store = await openSqliteStore({ path, maxPerTask });
  await seed(store);
  await store.close();
}

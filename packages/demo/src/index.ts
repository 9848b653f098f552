import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { startLiveAgent } from './agent.ts';
import type { LiveAgent } from './agent.ts';
import { seedAgentFramework } from './agent-framework.ts';
import { seedCtxSys } from './ctx-sys.ts';
import { seedKaizen } from './kaizen.ts';
import { seedLangGraph } from './langgraph.ts';
import { seedResearch } from './research.ts';
import { seedRlmAct } from './rlm-act.ts';
import { seedSoak } from './soak.ts';

export { startLiveAgent } from './agent.ts';
export type { LiveAgent, LiveAgentOptions } from './agent.ts';
export { seedResearch } from './research.ts';

export interface Demo {
  /** A private folder that holds the demo stores; gone after `remove`. */
  readonly folder: string;
  readonly targets: readonly string[];
  /** Starts the scripted agent that saves as long as the demo runs. */
  startAgent(): void;
  remove(): Promise<void>;
}

export interface DemoOptions {
  /** The demo's stories end at this time. */
  readonly now?: Date;
  /** Between two saves of the live agent. */
  readonly everyMs?: number;
}

/**
 * Writes the demo stores into a new private folder.
 * @example const demo = await createDemo(); demo.startAgent();
 */
export async function createDemo({ now = new Date(), everyMs = 2_000 }: DemoOptions = {}): Promise<Demo> {
  const folder = await mkdtemp(join(tmpdir(), 'checkpoint-inspector-demo-'));
  const research = await openSqliteStore({ path: join(folder, 'research.db'), maxPerTask: 10 });
  await seedResearch(research, now);
  await research.close();
  const agents = await openSqliteStore({ path: join(folder, 'agents.db') });
  await seedSoak(agents, now);
  const kaizen = join(folder, '.kaizen', 'checkpoints');
  await seedKaizen(kaizen, now);
  const langgraph = join(folder, 'checkpoints.sqlite');
  seedLangGraph(langgraph, now);
  const ctxSys = join(folder, '.ctx-sys', 'ctx-sys.db');
  await mkdir(join(folder, '.ctx-sys'), { mode: 0o700 });
  await seedCtxSys(ctxSys);
  const workflows = join(folder, 'workflows');
  await seedAgentFramework(workflows, now);
  const shop = join(folder, 'shop');
  await seedRlmAct(shop, now);
  let agent: LiveAgent | undefined;
  return {
    folder,
    targets: [
      join(folder, 'research.db'),
      kaizen,
      langgraph,
      ctxSys,
      workflows,
      join(shop, '.rlm-act-checkpoints'),
      join(folder, 'agents.db'),
    ],
    startAgent: () => {
      agent ??= startLiveAgent(agents, { everyMs });
    },
    async remove() {
      agent?.stop();
      await agents.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

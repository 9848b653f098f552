import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { startLiveAgent } from './agent.ts';
import { startLaneAgent } from './lane-agent.ts';
import type { LaneAgent } from './lane-agent.ts';

/** The scripted agents of a running demo, each with a connection of its own. */
export interface Agents {
  readonly lane: LaneAgent;
  stop(): Promise<void>;
}

export async function startAgents(
  folder: string,
  { everyMs = 2_000, laneEveryMs }: { readonly everyMs?: number; readonly laneEveryMs?: number },
): Promise<Agents> {
  const agents = await openSqliteStore({ path: join(folder, 'agents.db') });
  const research = await openSqliteStore({ path: join(folder, 'research.db') });
  const live = startLiveAgent(agents, { everyMs });
  const lane = startLaneAgent(research, laneEveryMs === undefined ? {} : { everyMs: laneEveryMs });
  return {
    lane,
    async stop() {
      live.stop();
      await lane.stop();
      await agents.close();
      await research.close();
    },
  };
}

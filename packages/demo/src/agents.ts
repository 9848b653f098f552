import { join } from 'node:path';
import { toJsonText, type CheckpointStore } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { startLaneAgent, type LaneAgent } from './lane-agent.ts';
import { seeded } from './seeding.ts';

const TASK = 'live-research';
const STEPS = ['search', 'read', 'extract', 'compare', 'note'];
const TOPICS = ['pricing', 'churn', 'hiring', 'patents', 'margins', 'suppliers'];

interface LiveAgentOptions {
  /** Between two saves. */
  readonly everyMs?: number;
  /** It stops by itself after so many. */
  readonly saves?: number;
  readonly onError?: (error: unknown) => void;
}

/** A scripted agent: saves a step every two seconds, fails now and then, recovers, and stops in the end. */
export function startLiveAgent(store: CheckpointStore, options: LiveAgentOptions = {}): { stop(): void } {
  const { everyMs = 2_000, saves = 900, onError = () => undefined } = options;
  const random = seeded(7);
  const findings: { id: string; topic: string; value: number }[] = [];
  let step = 0;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const save = async (): Promise<void> => {
    step += 1;
    const name = STEPS[step % STEPS.length] ?? 'note';
    const failed = step % 23 === 0;
    if (name === 'extract')
      findings.push({
        id: `f${step}`,
        topic: TOPICS[step % TOPICS.length] ?? 'pricing',
        value: Math.round(random() * 100),
      });
    const status = failed ? 'failed' : step === saves ? 'completed' : 'running';
    await store.save({
      id: `live-${String(step).padStart(4, '0')}`,
      task: TASK,
      text: toJsonText({
        goal: 'Watch the market',
        step: name,
        findings,
        visited: step * 3,
        budget_usd: Math.round(step * 0.4) / 100,
      }),
      stepIndex: step,
      trigger: failed ? 'error' : 'auto',
      status,
      description: failed ? 'API timeout after 10 s' : name,
      agentId: 'watcher',
      durationMs: Math.round(random() * 1_500),
      tokenUsage: Math.round(200 + random() * 800),
    });
  };

  const next = (): void => {
    if (stopped || step >= saves) return;
    save()
      .catch(onError)
      .finally(() => {
        if (!stopped) timer = setTimeout(next, everyMs).unref();
      });
  };
  next();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

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

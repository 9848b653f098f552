/** What tasks and agents used, as far as their checkpoints say. */
import { addUsage, compact, everyPage, refIn, totalUsage } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointSource, Task, Usage, UsageField, Pause } from '@checkpoint-inspector/core';
import type { Found } from './task-index.ts';

export interface TaskUsed {
  readonly all: Usage;
  /** '' where no agent is named. */
  readonly agents: ReadonlyMap<string, Usage>;
}

export interface TaskUsage extends Usage {
  readonly store: string;
  readonly task: string;
  readonly title: string;
  readonly system: string;
  /** Absent where no checkpoint names one. */
  readonly agents: readonly string[];
  /** Fields that the system keeps as running totals: branches count what they added. */
  readonly running: readonly UsageField[];
}

interface AgentUsage extends Usage {
  readonly agent?: string;
  readonly tasks: number;
}

export interface UsageAnswer {
  readonly items: readonly TaskUsage[];
  readonly agents: readonly AgentUsage[];
  readonly total: Usage;
}

/** Kaizen writes what the agent has spent so far (`budget_spent_usd`); every other number is of its own step. */
const RUNNING: Readonly<Record<string, readonly UsageField[]>> = { kaizen: ['costUsd'] };
const PAGE = 500;

export const runningTotals = (system: string): readonly UsageField[] =>
  Object.hasOwn(RUNNING, system) ? (RUNNING[system] ?? []) : [];

export async function lookUpUsage(
  source: CheckpointSource,
  task: Task,
  _before: TaskUsed | undefined,
  pause: Pause,
): Promise<TaskUsed> {
  const running = new Set(runningTotals(task.system));
  const parts: TaskUsed[] = [];
  const whole: CheckpointMeta[] = [];
  for await (const { items } of everyPage((at) => source.checkpoints(task.id, at), PAGE)) {
    // A running total needs the parents; other sums are made page by page.
    if (running.size > 0) whole.push(...items);
    else parts.push(addUsage(items));
    await pause();
  }
  if (running.size > 0) return addUsage(whole, running, await originsOf(source, whole));
  return { all: totalUsage(parts.map(({ all }) => all)), agents: merged(parts.map(({ agents }) => agents)) };
}

/** Parents in other tasks: what a fork had when it began. */
async function originsOf(source: CheckpointSource, metas: readonly CheckpointMeta[]): Promise<CheckpointMeta[]> {
  const found: CheckpointMeta[] = [];
  for (const { parentId: id, parentTaskId: task, namespace } of metas) {
    if (id === undefined || task === undefined) continue;
    const origin = await source.meta(refIn(task, compact({ namespace, id })));
    if (origin) found.push(origin);
  }
  return found;
}

/** Tasks in the order given, agents by name; `agent` leaves the others out. */
export function usageAnswer({ values }: Found<TaskUsed>, agent: string | undefined): UsageAnswer {
  const own = values.flatMap(({ task, value }) => {
    if (agent === undefined) return [{ task, agents: value.agents, all: value.all }];
    const all = value.agents.get(agent);
    return all ? [{ task, agents: new Map([[agent, all]]), all }] : [];
  });
  const byAgent = new Map<string, Usage[]>();
  for (const { agents } of own)
    for (const [name, usage] of agents) byAgent.set(name, [...(byAgent.get(name) ?? []), usage]);
  return {
    items: own.map(({ task, agents, all }) => ({
      store: task.store,
      task: task.id,
      title: task.title,
      system: task.system,
      agents: [...agents.keys()].filter((name) => name !== ''),
      running: runningTotals(task.system),
      ...all,
    })),
    agents: [...byAgent]
      .map(([name, usages]): AgentUsage => ({
        ...(name === '' ? {} : { agent: name }),
        tasks: usages.length,
        ...totalUsage(usages),
      }))
      .sort((a, b) => Number(a.agent === undefined) - Number(b.agent === undefined) || compare(a.agent, b.agent)),
    total: totalUsage(own.map(({ all }) => all)),
  };
}

const compare = (a = '', b = ''): number => (a < b ? -1 : Number(a > b));

function merged(parts: readonly ReadonlyMap<string, Usage>[]): ReadonlyMap<string, Usage> {
  const names = new Set(parts.flatMap((part) => [...part.keys()]));
  return new Map([...names].map((name) => [name, totalUsage(parts.flatMap((part) => part.get(name) ?? []))]));
}

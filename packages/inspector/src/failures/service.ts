/** Errors, questions and usage over all open stores. Nothing is read before it is asked for. */
import {
  compact,
  groupFailures,
  InspectorError,
  isSince,
  nearest,
  type FailureGroup,
} from '@checkpoint-inspector/core';
import type { StoreFailure, StoreService } from '../stores/types.ts';
import { lookThrough, type Findings, type Waiting } from './findings.ts';
import { shownOutline, type TaskOutline } from './outline.ts';
import { endKey, failedChecks, createOutcomes, withCheck, type OutcomeList, type OutcomesQuery } from './outcomes.ts';
import { createTaskIndex, type Coverage, type Found, type SinceQuery, type TaskQuery } from './task-index.ts';
import { lookUpUsage, usageAnswer, type TaskUsed, type UsageAnswer } from './usage.ts';

export interface Covered {
  readonly coverage: Coverage;
  /** Stores that could not be searched. */
  readonly failures: readonly StoreFailure[];
}

export interface Failures {
  /** The tasks of `stores.tasks`, each with the outcome that its latest state adds to its status. */
  tasks(query?: OutcomesQuery): Promise<OutcomeList>;
  /** Failed checkpoints in groups, current failures first. */
  errors(query?: SinceQuery): Promise<Covered & { readonly items: readonly FailureGroup[] }>;
  /** Tasks whose latest checkpoint waits for a person; the longest wait first. */
  inbox(query?: SinceQuery): Promise<Covered & { readonly items: readonly Waiting[] }>;
  /** What a list says of each task; found in the same pass as errors and questions. */
  outlines(query?: TaskQuery): Promise<Covered & { readonly items: readonly TaskOutline[] }>;
  usage(query?: TaskQuery & { readonly agent?: string }): Promise<Covered & UsageAnswer>;
  close(): void;
}

/** An answer comes after so long at the latest, with what is known; the page asks again. */
const WAIT_MS = 400;

/** @param waitMs how long an answer waits to be complete; a command waits to the end. */
export function createFailures(stores: StoreService, waitMs = WAIT_MS): Failures {
  const findings = createTaskIndex<Findings>(stores, lookThrough);
  const used = createTaskIndex<TaskUsed>(stores, lookUpUsage);
  // A command waits to the end for its lists, too.
  const outcomes = createOutcomes(stores, waitMs, waitMs <= WAIT_MS ? undefined : waitMs);

  /** What is found in the checkpoints of tasks, and which checks failed at their ends. */
  const look = async (query: TaskQuery) => {
    const { store, task } = query;
    const [found, checked] = await Promise.all([
      findings.read(query, waitMs),
      outcomes.checks(store === undefined ? {} : compact({ store, task })),
    ]);
    const failed = failedChecks(checked).filter(({ at }) => task === undefined || at.task === task);
    const complete = found.coverage.complete && checked.coverage.complete;
    return { ...found, failed, coverage: { ...found.coverage, complete } };
  };

  return {
    tasks: (query) => outcomes.tasks(query),
    async errors({ since, ...query } = {}) {
      const { values, failed, coverage, failures } = await look(query);
      const all = [...values.flatMap(({ value }) => value.failures), ...failed];
      return { items: groupFailures(all.filter(({ time }) => isSince(time, since))), coverage, failures };
    },
    async inbox({ since: from, ...query } = {}) {
      const { values, coverage, failures } = await findings.read(query, waitMs);
      const all = values.flatMap(({ value }) => value.waiting ?? []);
      const items = all.filter(({ since }) => isSince(since, from)).sort(longestFirst);
      return { items, coverage, failures };
    },
    async outlines(query = {}) {
      const { values, failed, coverage, failures } = await look(query);
      const ends = new Map(failed.map((failure) => [endKey(failure.at), failure]));
      const items = values.map(({ value: { outline } }) => withCheck(shownOutline(outline), ends.get(endKey(outline))));
      return { items, coverage, failures };
    },
    async usage({ agent, ...query } = {}) {
      const found = await used.read(query, waitMs);
      if (agent !== undefined) assertAgent(agent, found);
      return { ...usageAnswer(found, agent), coverage: found.coverage, failures: found.failures };
    },
    close() {
      findings.close();
      outcomes.close();
      used.close();
    },
  };
}

/** @throws InspectorError not_found, once all has been read */
function assertAgent(agent: string, { values, coverage, failures }: Found<TaskUsed>): void {
  if (!coverage.complete || failures.length > 0) return;
  const names = new Set(values.flatMap(({ value }) => [...value.agents.keys()]));
  if (names.has(agent)) return;
  const known = [...names].filter((name) => name !== '');
  const meant = nearest(agent, known, Math.max(1, Math.floor(agent.length / 3)));
  throw new InspectorError('not_found', `No checkpoint names an agent "${agent}".`, {
    data: { agent },
    remedy: meant === undefined ? 'List the agents with `usage`.' : `Did you mean "${meant}"?`,
  });
}

function longestFirst(a: Waiting, b: Waiting): number {
  if (a.since === undefined || b.since === undefined)
    return Number(a.since === undefined) - Number(b.since === undefined);
  return Date.parse(a.since) - Date.parse(b.since);
}

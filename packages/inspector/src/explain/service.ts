/** Explanations over the open stores, each kept until its store changes. */
import {
  stateBytesOf,
  withOptions,
  type CheckpointSource,
  type Explanation,
  type StoreId,
} from '@checkpoint-inspector/core';
import type { StoreService } from '../stores/types.ts';
import type { LargeStates } from '../large-states/service.ts';
import { listBranch, pausing, type Looking } from './branch.ts';
import { askedOf, explainBranch, type Asked, type ExplainQuery } from './explain.ts';
import { factsOf } from './facts.ts';

export interface ExplainOptions extends Looking {
  /** Answers with what is known so far (`examined.partial`), and continues with the rest. */
  readonly known?: boolean | undefined;
  readonly onProgress?: ((n: number, of: number) => void) | undefined;
}

export interface Explanations {
  /**
   * A task that didn't fail and of which nothing is asked is answered with `known` without looking at its states.
   * @throws InspectorError not_found | ambiguous_id | invalid_input; the reason of the signal when it is cancelled
   */
  of(store: StoreId, query: ExplainQuery, options?: ExplainOptions): Promise<Explanation>;
}

const MAX_KEPT = 100;

interface Deps {
  readonly stores: StoreService;
  /** Absent: every branch is looked at in this thread. */
  readonly largeStates?: Pick<LargeStates, 'explanation'>;
}

/** One explanation while it is made, and once it is. */
interface Job {
  readonly store: StoreId;
  readonly facts: Promise<Explanation>;
  readonly stop: AbortController;
  readonly listeners: Set<(n: number, of: number) => void>;
  /** What is known so far, once the facts are. */
  latest?: Explanation;
  whole?: Promise<Explanation>;
  /** Callers who wait for the whole. */
  waiting: number;
  readonly start: () => Promise<Explanation>;
}

export function createExplanations({ stores, largeStates }: Deps): Explanations {
  const jobs = new Map<string, Job>();
  stores.onEvent((event) => {
    for (const [key, { store }] of jobs) if (event.kind === 'stores' || event.store === store) jobs.delete(key);
  });

  const begin = (store: StoreId, query: ExplainQuery): Job => {
    const stop = new AbortController();
    const source = withOptions(stores.source(store), { signal: stop.signal });
    const branch = listBranch(source, query);
    const facts = branch.then((known) => factsOf(source, known));
    const job: Job = { store, facts, stop, listeners: new Set(), waiting: 0, start: () => run() };
    const run = async (): Promise<Explanation> => {
      const known = await facts;
      const asked = await askedOf(source, query, await branch, known);
      const report = (part: Explanation): void => {
        job.latest = part;
        for (const tell of job.listeners) tell(part.examined.n, part.examined.of);
      };
      report({ ...known, examined: { ...known.examined, partial: true } });
      const large = await isLarge(source, asked);
      const elsewhere = large ? largeStates?.explanation(store, asked, known, stop.signal, report) : undefined;
      return (job.latest = await (elsewhere ?? explainBranch(source, asked, known, pausing(stop.signal), report)));
    };
    return job;
  };

  const jobOf = (store: StoreId, query: ExplainQuery): Job => {
    const key = JSON.stringify([store, query]);
    const known = jobs.get(key);
    if (known) return known;
    const [oldest] = jobs.keys();
    if (jobs.size >= MAX_KEPT && oldest !== undefined) jobs.delete(oldest);
    // Whoever left for another task waits for nothing more.
    for (const [other, job] of jobs)
      if (job.waiting === 0 && job.latest?.examined.partial === true) {
        job.stop.abort();
        jobs.delete(other);
      }
    const job = begin(store, query);
    jobs.set(key, job);
    job.facts.catch(() => jobs.delete(key));
    return job;
  };

  const whole = (key: Job): Promise<Explanation> => {
    key.whole ??= key.start();
    // A failure is told to whoever waits, and the next question tries again.
    key.whole.catch(() => {
      for (const [name, job] of jobs) if (job === key) jobs.delete(name);
    });
    return key.whole;
  };

  return {
    async of(store, query, { signal, known = false, onProgress } = {}) {
      signal?.throwIfAborted();
      const job = jobOf(store, query);
      const facts = await job.facts;
      const isWrong = facts.outcome === 'failed' || facts.outcome === 'check_failed';
      if (known && !isWrong && query.expect === undefined && query.against === undefined) return facts;
      const end = whole(job);
      if (known)
        return job.latest?.examined.partial === true || job.latest === undefined ? firstOf(job, end) : job.latest;
      if (onProgress) job.listeners.add(onProgress);
      job.waiting += 1;
      try {
        return await untilLeft(end, signal);
      } finally {
        job.waiting -= 1;
        if (onProgress) job.listeners.delete(onProgress);
        if (signal?.aborted === true && job.waiting === 0) job.stop.abort();
      }
    },
  };
}

/** So long an answer is waited for before what is known is told alone. */
const KNOWN_MS = 50;

async function firstOf(job: Job, whole: Promise<Explanation>): Promise<Explanation> {
  const soon = new Promise<undefined>((resolve) => void setTimeout(() => resolve(undefined), KNOWN_MS));
  const done = await Promise.race([whole, soon]);
  if (done !== undefined) return done;
  const { latest } = job;
  if (latest !== undefined) return latest;
  const facts = await job.facts;
  return { ...facts, examined: { ...facts.examined, partial: true } };
}

async function untilLeft<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** More bytes of states than this are compared in another thread. */
const MAX_BYTES_HERE = 2_000_000;

async function isLarge(source: CheckpointSource, { branch, against }: Asked): Promise<boolean> {
  const last = branch.steps.at(-1);
  const meta = last && (await source.meta(last.ref));
  const bytes = meta === undefined ? 0 : stateBytesOf(meta);
  return bytes * (branch.steps.length + (against?.steps.length ?? 0)) > MAX_BYTES_HERE;
}

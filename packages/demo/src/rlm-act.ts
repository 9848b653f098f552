import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckpointRef } from '@checkpoint-inspector/core';
import { checkpointDocument } from '@checkpoint-inspector/apis/rlm-act';

const TASK = 'code-migration';
const DAY_MINUTES = 24 * 60;
const MODULES = ['orders', 'invoices', 'users', 'stock', 'mail', 'reports', 'search', 'login'];
const PHASES = ['research', 'decomposition', 'tdd_planning', 'multi_doc', 'beads_sync', 'implementation'];

interface Saved {
  readonly n: number;
  readonly module: string;
  readonly phase: string;
  readonly minutesAgo: number;
  readonly startedMinutesAgo: number;
  readonly errors: readonly string[];
  /** What it is a copy of, made by a restore. */
  readonly restoredFrom?: number;
}

/** Eight modules in 45 checkpoints, one every 30 hours, the newest 33 days old. Three runs ended in failed tests. */
function oldRuns(): Saved[] {
  const count = 45;
  return Array.from({ length: count }, (_, at): Saved => {
    const [run, step] = [Math.floor(at / PHASES.length), at % PHASES.length];
    const phase = PHASES[step] ?? '';
    const module = MODULES[run] ?? '';
    const failed = phase === 'implementation' && run % 3 === 1;
    const minutesAgo = 33 * DAY_MINUTES + (count - 1 - at) * 1_800;
    return {
      n: at + 1,
      module,
      phase: `${phase}-${failed ? 'failed' : 'complete'}`,
      minutesAgo,
      startedMinutesAgo: minutesAgo + (step + 1) * 1_800,
      errors: failed ? ['2 tests failed after the move to the new client'] : [],
    };
  });
}

const run = (n: number, phase: string, minutesAgo: number, startedMinutesAgo: number, errors: string[] = []): Saved => {
  return { n, module: 'checkout', phase, minutesAgo, startedMinutesAgo, errors };
};

/** What came in the last 30 days: two restores of old checkpoints, and the run that stopped in its last phase. */
const NEW_RUNS: readonly Saved[] = [
  run(52, 'research-complete', 190, 200),
  run(53, 'decomposition-complete', 176, 200),
  run(54, 'tdd_planning-complete', 151, 200),
  run(55, 'implementation-failed', 122, 200, ['3 tests failed after the move to the new client']),
];

/** Copies of a restore: number, source, and how many days ago. The first is older than 30 days. */
const RESTORES = [
  { n: 46, from: 9, days: 32 },
  { n: 47, from: 23, days: 26 },
  { n: 49, from: 38, days: 12 },
] as const;
const BOOKMARKED = [46, 41] as const;
/** Saved after these restores, by the run that continued. */
const CONTINUED = [
  { n: 48, after: 47, phase: 'multi_doc-complete', days: 25 },
  { n: 50, after: 49, phase: 'decomposition-complete', days: 11 },
  { n: 51, after: 49, phase: 'tdd_planning-complete', days: 10 },
] as const;

function allSaved(): Saved[] {
  const saved = new Map([...oldRuns(), ...NEW_RUNS].map((one) => [one.n, one]));
  const of = (n: number): Saved => saved.get(n) ?? run(n, 'research-complete', 0, 0);
  for (const { n, from, days } of RESTORES)
    saved.set(n, { ...of(from), n, minutesAgo: days * DAY_MINUTES, restoredFrom: from });
  for (const { n, after, phase, days } of CONTINUED) {
    const { restoredFrom: _, ...before } = of(after);
    saved.set(n, { ...before, n, phase, minutesAgo: days * DAY_MINUTES, errors: [] });
  }
  return [...saved.values()].toSorted((a, b) => a.n - b.n);
}

const idOf = (n: number): string => `0c0de000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const refOf = (n: number): CheckpointRef => ({ task: TASK, id: idOf(n) });

/** What the inspector itself would have kept of this store: where restores came from, and bookmarks. */
export const RLM_ACT_MARKS = {
  edges: RESTORES.map(({ n, from }) => ({ child: refOf(n), parent: refOf(from) })),
  bookmarks: BOOKMARKED.map(refOf),
} as const;

/**
 * The checkpoints of a code migration: 47 files older than 30 days, one of them torn, and nine that are newer. Times end
 * in Z or +00:00. Files have the time of their checkpoint.
 */
export async function seedRlmAct(project: string, now: Date): Promise<string> {
  const folder = join(project, '.rlm-act-checkpoints');
  await mkdir(folder, { recursive: true });
  const write = async (id: string, text: string, minutesAgo: number): Promise<void> => {
    const path = join(folder, `${id}.json`);
    const time = timeOf(now, minutesAgo);
    await writeFile(path, text, { mode: 0o600 });
    await utimes(path, time, time);
  };
  for (const saved of allSaved()) await write(idOf(saved.n), documentOf(saved, now), saved.minutesAgo);
  const torn = documentOf({ ...run(60, 'implementation-complete', 45 * DAY_MINUTES, 45 * DAY_MINUTES) }, now);
  await write(idOf(60), torn.slice(0, 214), 45 * DAY_MINUTES);
  return folder;
}

const timeOf = (now: Date, minutesAgo: number): Date => new Date(now.getTime() - minutesAgo * 60_000);

function documentOf(saved: Saved, now: Date): string {
  const { n, module, phase, errors, minutesAgo, startedMinutesAgo, restoredFrom } = saved;
  const name = phase.replace(/-\w+$/, '');
  const wall = timeOf(now, minutesAgo).toISOString().slice(0, -1);
  return checkpointDocument({
    id: idOf(n),
    phase,
    timestamp: `${wall}000${(restoredFrom ?? n) % 3 === 0 ? '+00:00' : 'Z'}`,
    state: {
      project_path: TASK,
      autonomy_mode: 'batch',
      module,
      current_phase: name,
      phase_results: resultsUpTo(saved, name, now),
      started_at: timeOf(now, startedMinutesAgo).toISOString(),
    },
    errors,
    git_commit: ((restoredFrom ?? n) * 0x9e3779b1).toString(16).padStart(40, '3f2a9c1').slice(-40),
  });
}

/** Every phase of the run so far; only the last one can have failed. */
function resultsUpTo({ module, errors, minutesAgo }: Saved, last: string, now: Date): Record<string, unknown> {
  const done = PHASES.slice(0, PHASES.indexOf(last) + 1);
  return Object.fromEntries(
    done.map((phase, at) => {
      const isLast = at === done.length - 1;
      const result = {
        phase_type: phase,
        status: isLast && errors.length > 0 ? 'failed' : 'complete',
        artifacts: [`plans/${module}/0${at + 1}-${phase}.md`],
        errors: isLast ? errors : [],
        completed_at: timeOf(now, minutesAgo + (done.length - 1 - at) * 25).toISOString(),
        duration_seconds: 300 + at * 210,
      };
      return [phase, result];
    }),
  );
}

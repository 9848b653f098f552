import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatAddress, idToSegment } from '@checkpoint-inspector/core';
import { branchOf, plantedCase, type RunCase } from '@checkpoint-inspector/core/testing';
import { storeCase, talkOf, type StoredSystem } from '@checkpoint-inspector/inspector/testing/runs';
import { expect, it } from 'vitest';
import { processorMsOf, quantile, startCommand, type Command } from './support/command.ts';

/** Half of them are asked first, for the code to be compiled, and not counted. */
const RUNS = 40;
const FIRST = 10_000;
const SYSTEMS: readonly StoredSystem[] = ['native', 'langgraph', 'kaizen', 'ctx-sys'];
/** Times what asking for all diffs of the branch costs. */
const MOST = 1.5;

interface Branch {
  readonly store: string;
  readonly task: string;
  /** Root first. */
  readonly ids: readonly string[];
}

async function written(system: StoredSystem, run: RunCase, store: string, folder: string) {
  const stored = await storeCase(system, run, await mkdtemp(join(folder, 'run-')));
  const ids = branchOf(run).flatMap(({ id }) => stored.ids.get(id) ?? []);
  return { target: `${store}=${stored.path}`, branch: { store, task: stored.task, ids } };
}

async function answered(command: Command, path: string): Promise<void> {
  const answer = await command.get(path);
  if (!answer.ok) throw new Error(await answer.text());
  await answer.arrayBuffer();
}

const diagnosis = (command: Command, { store, task, ids }: Branch): Promise<void> =>
  answered(
    command,
    `stores/${store}/tasks/${idToSegment(task)}/diagnosis?ns=&cp=${encodeURIComponent(ids.at(-1) ?? '')}`,
  );

async function diffs(command: Command, { store, task, ids }: Branch): Promise<void> {
  const at = (id: string): string => encodeURIComponent(formatAddress({ store, task, id }));
  for (const [nth, id] of ids.entries()) {
    const before = ids[nth - 1];
    if (before !== undefined) await answered(command, `diff?a=${at(before)}&b=${at(id)}`);
  }
}

async function costOf(command: Command, work: () => Promise<void>): Promise<number> {
  const before = processorMsOf(command.pid);
  await work();
  return processorMsOf(command.pid) - before;
}

/** Of each run once: an answer is kept. In turns, as what one of them read may still be there for the other. */
async function ratiosOf(command: Command, branches: readonly Branch[]): Promise<number[]> {
  const ratios: number[] = [];
  for (const [nth, branch] of branches.entries()) {
    const asked = [diagnosis, diffs].map((ask) => () => costOf(command, () => ask(command, branch)));
    if (nth % 2 === 1) asked.reverse();
    const costs: number[] = [];
    for (const ask of asked) costs.push(await ask());
    if (nth % 2 === 1) costs.reverse();
    const [own = Number.NaN, pass = Number.NaN] = costs;
    if (nth >= RUNS / 2) ratios.push(own / pass);
  }
  return ratios;
}

it.each(SYSTEMS.flatMap((system) => [undefined, 20_000, 200_000].map((size) => [system, size] as const)))(
  'a diagnosis costs at most 1.5 times the diffs of its branch, asked for one after the other: %s, %s characters',
  async (system, size) => {
    const folder = await mkdtemp(join(tmpdir(), 'scale-diagnosis-'));
    const runs = Array.from({ length: RUNS }, (_none, nth) =>
      size === undefined ? plantedCase(FIRST + nth) : talkOf(size, nth),
    );
    const all: Awaited<ReturnType<typeof written>>[] = [];
    for (const [nth, run] of runs.entries()) all.push(await written(system, run, `s${nth}`, folder));
    const command = await startCommand(
      all.map(({ target }) => target),
      join(folder, 'state'),
    );
    try {
      // What the index reads isn't counted.
      while (!(await (await command.get('search?q=report')).text()).includes('"isSettled":true')) await sleep(200);
      const ratio = quantile(
        await ratiosOf(
          command,
          all.map(({ branch }) => branch),
        ),
        0.5,
      );
      console.log(
        `measured: ${system}, ${size ?? 'small'}: a diagnosis costs ${ratio.toFixed(2)} times the diffs of its branch`,
      );
      expect(ratio).toBeLessThan(MOST);
    } finally {
      await command.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
);

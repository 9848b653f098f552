/** Two processes save to one database while an inspector in this process looks at it in every way. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { copyDatabase, lookInto, removeScratch } from '@checkpoint-inspector/io';
import { defaultRegistry } from '@checkpoint-inspector/inspector';
import { jsonBody } from '../../src/testing/app.ts';

import { dirname } from 'node:path';
import { storeId } from '@checkpoint-inspector/core';
import { openAgent, TASK, type SystemName } from '@checkpoint-inspector/inspector/testing/agents';
import { inspectorOn, type Inspector } from './inspector.ts';

export interface DurableRun {
  readonly system: SystemName;
  /** A file that does not exist yet. */
  readonly path: string;
  /** Built entries: of a saving process, and of the thread for big states. */
  readonly saver: URL;
  readonly worker: URL;
  /** Each of the two lanes runs so many processes one after the other, each with so many saves. */
  readonly processes: number;
  readonly saves: number;
}

export interface DurableResult {
  readonly acknowledged: number;
  /** Acknowledged checkpoints that are missing, or cannot be read. */
  readonly lost: readonly string[];
  readonly integrity: unknown;
  /** How often the inspector looked, and answers that were defects. */
  readonly looks: number;
  readonly defects: readonly string[];
}

export async function runDurable(run: DurableRun): Promise<DurableResult> {
  const first = await openAgent(run.system, run.path);
  const big = await first.save(1, 'x'.repeat(9_000_000));
  await first.close();
  const inspector = await inspectorOn(run.path, run.worker);
  let saving = true;
  const looked = lookAround(inspector, run.path, big, () => saving);
  const acknowledged = (await Promise.all(['left', 'right'].map((task) => lane(run, task)))).flat();
  saving = false;
  const { looks, defects } = await looked;
  await inspector.close();
  return {
    acknowledged: acknowledged.length,
    lost: await missing(run, acknowledged),
    integrity: lookInto(run.path, (db) => db.pragma('integrity_check')),
    looks,
    defects,
  };
}

interface Acknowledged {
  readonly task: string;
  readonly id: string;
}

/** A process that ends may remove the log of a database; that is when a lost lock does its harm. */
async function lane(run: DurableRun, task: string): Promise<Acknowledged[]> {
  const all: Acknowledged[] = [];
  for (let at = 0; at < run.processes; at++) {
    const given = [run.system, run.path, task, String(at * run.saves), String(run.saves)];
    const child = spawn(process.execPath, [fileURLToPath(run.saver), ...given], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    for await (const id of createInterface({ input: child.stdout })) all.push({ task, id });
    if ((await ended) !== 0) throw new Error(`A process that saves to ${run.system} failed.`);
  }
  return all;
}

async function lookAround(inspector: Inspector, path: string, big: string, goesOn: () => boolean) {
  const { store, ask } = inspector;
  const state = `/api/stores/${store}/checkpoints/${big}/state?task=${TASK}`;
  const looks: readonly (() => Promise<{ status: number; text: string }>)[] = [
    () => ask(`${state}&path=$`),
    () => ask(state),
    () => ask('/api/stores', jsonBody({ target: dirname(path) })),
    () => ask('/api/stores', jsonBody({ target: path })),
    () => ask('/api/export', jsonBody({ store, task: TASK, format: 'bundle' })),
    () => ask('/api/search?q=step'),
    () => ask('/api/tasks'),
    () => ask('/api/storage'),
    () => ask(`/api/stores/${store}/tasks/left/checkpoints?summary=1`),
  ];
  const defects: string[] = [];
  let count = 0;
  while (goesOn() || count < looks.length) {
    const failed = (error: unknown) => ({ status: 599, text: String(error) });
    const { status, text } = (await looks[count % looks.length]?.().catch(failed)) ?? failed('no look');
    if (status >= 500 && !text.includes('"busy"'))
      defects.push(`${count % looks.length}: ${status} ${text.slice(0, 200)}`);
    if (count % looks.length === 0) copyOnce(path);
    count++;
  }
  return { looks: count, defects };
}

/** A database that changes on every attempt is busy; that is an answer too. */
function copyOnce(path: string): void {
  try {
    removeScratch(dirname(copyDatabase(path)));
  } catch {
    return;
  }
}

async function missing({ system, path }: DurableRun, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const { open } = await defaultRegistry().system(system);
  const [source] = await open(
    { kind: 'path', path, is: 'file' },
    { label: 's', location: path, nameStore: () => storeId('s') },
  );
  const lost: string[] = [];
  for (const ref of acknowledged) {
    const found = await source?.state(ref).catch(() => undefined);
    if (found === undefined) lost.push(`${ref.task}/${ref.id}`);
  }
  await source?.close?.();
  return lost;
}

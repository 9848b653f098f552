/** Kills the database server while a process saves and a store is watched. */
import type { OwnServer } from '@checkpoint-inspector/io/testing';
import { acknowledge, lookAt, type Acknowledged } from '../../testing/kills.ts';
import { startChild } from '../../testing/processes.ts';
import { openPostgresStore } from '../store.ts';

export interface ServerKills {
  readonly saves: number;
  readonly kills: number;
  /** So many are acknowledged before the next kill. */
  readonly savesBetween: number;
  readonly downMs: () => number;
}

export interface AfterKills {
  readonly defects: readonly string[];
  readonly saved: number;
  readonly kills: number;
  /** Codes of what failed meanwhile and was tried again. */
  readonly errors: ReadonlySet<string>;
  /** Whether a watch that began before the kills names the task of a save after them. */
  readonly heardAfterwards: boolean;
}

const PATIENCE_MS = 20_000;

export async function savesUnderKills(server: OwnServer, plan: ServerKills): Promise<AfterKills> {
  const place = { url: server.url, schema: 'chaos' };
  const store = await openPostgresStore(place);
  const heard = new Set<string | undefined>();
  const unwatch = store.watch?.(({ task }) => heard.add(task));
  let lines = 0;
  const child = startChild({ place, task: 't', from: 0, until: plan.saves, removes: true, retries: true }, () => {
    lines = child.lines().filter((line) => line.startsWith('s')).length;
  });
  let isOver = false;
  let kills = 0;
  const over = child.ended.finally(() => (isOver = true));
  for (let n = 1; n <= plan.kills; n++) {
    await until(() => isOver || lines >= n * plan.savesBetween);
    if (isOver) break;
    await server.kill(plan.downMs());
    kills++;
  }
  const all = await over;
  const there: Acknowledged = new Map();
  acknowledge(there, all);
  const defects = await lookAt(place, there);
  heard.clear();
  const heardAfterwards = await until(
    () => heard.has('after'),
    () => store.save({ task: 'after', id: 'c1', value: 1 }),
  );
  unwatch?.();
  await store.close();
  const errors = new Set(all.filter((line) => line.startsWith('e')).map((line) => line.slice(1)));
  const saved = all.filter((line) => line.startsWith('s')).length;
  return { defects, saved, kills, errors, heardAfterwards };
}

/** Looks again and again, and does `each` in between. False where it took too long. */
async function until(isSo: () => boolean, each: () => Promise<unknown> = () => Promise.resolve()): Promise<boolean> {
  const end = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > end) return false;
    await each();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

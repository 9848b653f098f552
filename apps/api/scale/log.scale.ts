/** A session of 200 MB in the built command: what the first screens ask for, and how much memory that takes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRollout, type Rollout } from '@checkpoint-inspector/systems/scale/rollout';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCommand } from './support/command.ts';

const MB = 1_000_000;
let root = '';
let rollout: Rollout;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'scale-log-'));
  rollout = await writeRollout(join(root, 'home'), 200 * MB);
}, 120_000);
afterAll(() => rm(root, { recursive: true }));

interface Listed {
  readonly items: readonly { readonly id: string; readonly parentId?: string; readonly summary?: string }[];
}

it('shows the list, then the history and what the latest checkpoint changed', async () => {
  const command = await startCommand([rollout.path], join(root, 'state'));
  const ask = async <T>(path: string): Promise<T> => (await (await command.get(path)).json()) as T;
  const peak = (): number =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${command.pid}/status`, 'utf8'))?.[1]) * 1024;
  const tell = (what: string): void =>
    console.log(
      `${what}: ${command.processorMs()} ms of processor since the start, peak ${Math.round(peak() / MB)} MB`,
    );
  try {
    const { items } = await ask<{ items: { id: string; store: string }[] }>('tasks?limit=1000');
    expect(items).toHaveLength(1);
    tell('list');
    expect(command.processorMs()).toBeLessThan(1_000);
    const store = `stores/${items[0]?.store}`;
    const [page] = await Promise.all([
      ask<Listed>(`${store}/tasks/${rollout.thread}/checkpoints?limit=100&summary=1`),
      command.get(`${store}/tasks/${rollout.thread}/tree/columns`).then((answer) => answer.arrayBuffer()),
      ask('errors'),
      ask('inbox'),
      ask('outlines'),
    ]);
    expect(page.items).toHaveLength(100);
    expect(page.items[0]?.summary).toBeDefined();
    tell('history, with what changed');
    const [latest] = page.items;
    const addressOf = (id = ''): string => encodeURIComponent(`${items[0]?.store}/${rollout.thread}/${id}`);
    const diff = await ask<Listed>(`diff?a=${addressOf(latest?.parentId)}&b=${addressOf(latest?.id)}`);
    expect(diff.items.length).toBeGreaterThan(0);
    await ask(`${store}/checkpoints/${latest?.id}?task=${rollout.thread}&ns=`);
    tell('workbench');
    // The rest is what a search reads beside it.
    expect(command.processorMs()).toBeLessThan(4_000);
    expect(peak()).toBeLessThan(300 * MB);
  } finally {
    await command.stop();
  }
}, 120_000);

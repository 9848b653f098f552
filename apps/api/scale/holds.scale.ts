/** How long one request holds up all others, in processor time of the thread that answers. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleEntry } from '@checkpoint-inspector/inspector/testing/bundle';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { kaizenId, writeManyFiles } from '@checkpoint-inspector/systems/scale/many';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeDocument } from '../src/testing/document.ts';
import { largeText } from '../src/testing/text.ts';
import { startCommand, type Command } from './support/command.ts';

const MINUTES = 1_200_000;
const FILES = 50_000;
const LARGE = 18_000_000;
/** Small enough for the thread that answers, where it doesn't look closely. */
const MEDIUM = 6_000_000;
const TRIES = 5;
/** The goal of every request on every store. */
const MOST_MS = 50;

const folder = mkdtempSync(join(tmpdir(), 'scale-holds-'));
let probe: URL;
beforeAll(async () => {
  probe = await bundleEntry(new URL('./support/held-probe.ts', import.meta.url), 'held-probe');
});
afterAll(() => {
  rmSync(probe);
  rmSync(folder, { recursive: true, force: true });
});

interface Ask {
  readonly name: string;
  readonly path: string;
  /** Of a POST. */
  readonly body?: object;
}

/** Asks each several times; a table of what was held, and what was more than it may be. */
async function heldBy(command: Command, asks: readonly Ask[]): Promise<{ table: string; over: readonly string[] }> {
  const [rows, over]: [string[], string[]] = [[], []];
  for (const { name, path, body } of asks) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const held: number[] = [];
    for (let n = 0; n < TRIES; n++) {
      await sleep(20);
      await command.heldMs();
      const answer = await fetch(`${command.origin}/api/${path}`, {
        headers: { ...command.headers, 'content-type': 'application/json' },
        ...(text === undefined ? {} : { method: 'POST', body: text }),
      });
      await answer.arrayBuffer();
      expect([name, answer.ok]).toEqual([name, true]);
      held.push(await command.heldMs());
    }
    rows.push(`${name.padEnd(14)} ${held.map((ms) => ms.toFixed(0).padStart(4)).join('')} ms`);
    if (Math.max(...held) >= MOST_MS) over.push(name);
  }
  return { table: rows.join('\n'), over };
}

async function expectSoon(path: string, asks: readonly Ask[]): Promise<void> {
  const command = await startCommand([path], join(folder, 'state'), probe);
  let answers: Awaited<ReturnType<typeof heldBy>>;
  try {
    answers = await heldBy(command, asks);
  } finally {
    await command.stop();
  }
  const { table, over } = answers;
  console.log(`measured: one request on ${path.slice(folder.length + 1)} holds the others\n${table}`);
  expect(over, table).toEqual([]);
}

const stateText = (n: number): string => largeText(LARGE, `goal ${n}`);
const edited = (store: string, task: string, id: string, text: string) => ({
  store,
  request: { kind: 'edit', ref: { task, id }, text: text.replace('report', 'rapport') },
});
const restored = (store: string, task: string, id: string) => ({
  store,
  request: { kind: 'restore', ref: { task, id } },
});
const pruned = (store: string, task: string, beyondNewest: number) => ({
  store,
  request: { kind: 'prune', task, policy: { beyondNewest } },
});

it(
  `no request on a folder of ${FILES} files holds the others for ${MOST_MS} ms`,
  async () => {
    const path = join(folder, 'kaizen');
    await writeManyFiles(path, FILES, 2);
    const [id, before] = [kaizenId(FILES - 1_000), kaizenId(FILES - 1_100)];
    const of = 'stores/kaizen/tasks/agent_0';
    const at = `stores/kaizen/checkpoints/${id}`;
    const pair = `a=kaizen/agent_0/${before}&b=kaizen/agent_0/${id}`;
    await expectSoon(path, [
      { name: 'tasks', path: 'tasks?limit=50' },
      { name: 'task', path: of },
      { name: 'list', path: `${of}/checkpoints?limit=100` },
      { name: 'long list', path: `${of}/checkpoints?limit=1000` },
      { name: 'summaries', path: `${of}/checkpoints?limit=100&summary=1` },
      { name: 'around', path: `${of}/checkpoints?limit=100&around=${id}` },
      { name: 'checkpoint', path: `${at}?task=agent_0&ns=` },
      { name: 'by id', path: `stores/kaizen/checkpoints?id=${id}` },
      { name: 'state', path: `${at}/state?task=agent_0&ns=` },
      { name: 'diff', path: `diff?${pair}` },
      { name: 'tree', path: `${of}/tree` },
      { name: 'columns', path: `${of}/tree/columns` },
      { name: 'gone', path: 'stores/kaizen/gone?id=nothing&task=agent_0' },
      { name: 'storage', path: 'storage' },
      { name: 'plan restore', path: 'plans', body: restored('kaizen', 'agent_0', id) },
      { name: 'plan prune', path: 'plans', body: pruned('kaizen', 'agent_0', FILES / 2 - 1_000) },
      { name: 'diff steps', path: `diff/steps?${pair}` },
      { name: 'compare', path: `compare?${pair}` },
      { name: 'explain', path: `${of}/explain` },
    ]);
  },
  MINUTES,
);

it(
  `no request on documents of ${LARGE / 1e6} MB holds the others for ${MOST_MS} ms`,
  async () => {
    const path = join(folder, 'documents');
    mkdirSync(path);
    const texts: string[] = [];
    for (let n = 0; n < 3; n++) {
      const { messages } = JSON.parse(stateText(n)) as { messages: [] };
      texts.push(await writeDocument(path, n, messages));
    }
    const at = `stores/documents/checkpoints/${kaizenId(1)}`;
    const subject = { store: 'documents', task: 'agent' };
    await expectSoon(path, [
      { name: 'list', path: 'stores/documents/tasks/agent/checkpoints?limit=100&summary=1' },
      { name: 'state', path: `${at}/state?task=agent&ns=` },
      { name: 'part', path: `${at}/state?task=agent&ns=&path=$&depth=2` },
      { name: 'diff', path: `diff?a=documents/agent/${kaizenId(0)}&b=documents/agent/${kaizenId(1)}` },
      { name: 'plan restore', path: 'plans', body: restored('documents', 'agent', kaizenId(1)) },
      { name: 'plan edit', path: 'plans', body: edited('documents', 'agent', kaizenId(1), texts[1] ?? '') },
      { name: 'preview', path: 'export/preview', body: subject },
      { name: 'bundle', path: 'export', body: { ...subject, format: 'bundle' } },
      { name: 'report', path: 'export', body: { ...subject, format: 'html' } },
    ]);
  },
  MINUTES,
);

it(
  `no request on states of ${LARGE / 1e6} MB in our own store holds the others for ${MOST_MS} ms`,
  async () => {
    const path = join(folder, 'large.db');
    const store = await openSqliteStore({ path });
    for (let n = 0; n < 3; n++) await store.save({ task: 'run', id: `c-${n}`, text: stateText(n) });
    await store.close();
    const subject = { store: 'large-db', task: 'run' };
    await expectSoon(path, [
      { name: 'list', path: 'stores/large-db/tasks/run/checkpoints?limit=100&summary=1' },
      { name: 'state', path: 'stores/large-db/checkpoints/c-1/state?task=run&ns=' },
      { name: 'part', path: 'stores/large-db/checkpoints/c-1/state?task=run&ns=&path=$&depth=2' },
      { name: 'diff', path: 'diff?a=large-db/run/c-0&b=large-db/run/c-1' },
      { name: 'history', path: 'stores/large-db/tasks/run/history?path=$.goal' },
      { name: 'explain', path: 'stores/large-db/tasks/run/explain' },
      { name: 'plan restore', path: 'plans', body: restored('large-db', 'run', 'c-1') },
      { name: 'plan edit', path: 'plans', body: edited('large-db', 'run', 'c-1', stateText(1)) },
      { name: 'preview', path: 'export/preview', body: subject },
      { name: 'bundle', path: 'export', body: { ...subject, format: 'bundle' } },
      { name: 'report', path: 'export', body: { ...subject, format: 'html' } },
    ]);
  },
  MINUTES,
);

it(
  `no request on states of ${MEDIUM / 1e6} MB holds the others for ${MOST_MS} ms`,
  async () => {
    const path = join(folder, 'medium');
    mkdirSync(path);
    for (let n = 0; n < 6; n++) {
      const { messages } = JSON.parse(largeText(MEDIUM, `goal ${n}`)) as { messages: { tokens: number }[] };
      // Each step changes a third of the messages.
      for (const [at, message] of messages.entries()) if (at % 3 === n % 3) message.tokens += n * 1_000;
      const failed = n === 5 ? { status: 'failed', metadata: { error: 'the tokens of a message are too many' } } : {};
      await writeDocument(path, n, messages, failed);
    }
    const of = 'stores/medium/tasks/agent';
    const at = `stores/medium/checkpoints/${kaizenId(1)}`;
    const pair = `a=medium/agent/${kaizenId(1)}&b=medium/agent/${kaizenId(4)}`;
    const subject = { store: 'medium', task: 'agent' };
    await expectSoon(path, [
      { name: 'list', path: `${of}/checkpoints?limit=100&summary=1` },
      { name: 'checkpoint', path: `${at}?task=agent&ns=` },
      { name: 'state', path: `${at}/state?task=agent&ns=` },
      { name: 'part', path: `${at}/state?task=agent&ns=&path=$&depth=2` },
      { name: 'find', path: `${at}/state/find?task=agent&ns=&text=figure` },
      { name: 'diff', path: `diff?${pair}` },
      { name: 'diff steps', path: `diff/steps?${pair}` },
      { name: 'compare', path: `compare?${pair}` },
      { name: 'history', path: `${of}/history?path=$.conversation_history[3].tokens` },
      { name: 'lanes', path: `${of}/lanes` },
      { name: 'explain', path: `${of}/explain` },
      { name: 'plan restore', path: 'plans', body: restored('medium', 'agent', kaizenId(1)) },
      { name: 'preview', path: 'export/preview', body: subject },
      { name: 'bundle', path: 'export', body: { ...subject, format: 'bundle' } },
      { name: 'report', path: 'export', body: { ...subject, format: 'html' } },
    ]);
  },
  MINUTES,
);

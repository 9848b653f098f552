import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openSqlite } from '@checkpoint-inspector/io';
import { bundleEntry } from '@checkpoint-inspector/inspector/testing/bundle';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onOneCore, processorMsOf, quantile, startCommand, type Command } from './support/command.ts';
import type { BareOptions } from './support/bare.ts';

const COUNT = 300;
const ROUNDS = 11;
/** Code that is asked a few thousand times costs half of what it costs at first. */
const WARM_UP = 10;
const REQUESTS = 300;
const WORDS = 'the agent read the report and wrote what it found in it. '.repeat(12);

const folder = mkdtempSync(join(tmpdir(), 'scale-routes-'));
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let command: Command;
let isOnOneCore = false;
let bare: { readonly child: ChildProcess; readonly entry: URL; readonly origin: string };

const AT = 'stores/run-db/checkpoints/cp-150';
const ONE = `${AT}?task=run&ns=`;
const STATE = `${AT}/state?task=run&ns=`;
const LIST = 'stores/run-db/tasks/run/checkpoints?limit=100';

beforeAll(async () => {
  const path = join(folder, 'run.db');
  const store = await openSqliteStore({ path });
  for (let n = 0; n < COUNT; n++)
    await store.save({ task: 'run', id: `cp-${n}`, text: `{"n":${n},"notes":"${WORDS}"}`, description: `step ${n}` });
  await store.close();
  command = await startCommand([path], join(folder, 'state'));
  const list = (await (await command.get(LIST)).json()) as { items: readonly Item[] };
  bare = await startBare({
    texts: { '/one': await textOf(ONE), '/state': await textOf(STATE) },
    list: { database: databaseOf(list.items), sql: 'SELECT * FROM items ORDER BY seq DESC LIMIT 100' },
  });
  expect(JSON.parse(await ask(`${bare.origin}/list`))).toEqual({ items: list.items });
  // The search index is made first, and isn't counted.
  while (!(await textOf('search?q=report')).includes('"isSettled":true')) await sleep(200);
  // For two seconds after a write every answer is asked for again.
  await sleep(2_500);
  isOnOneCore = onOneCore([process.pid, command.pid, bare.child.pid ?? 0]);
}, 120_000);
afterAll(async () => {
  agent.destroy();
  bare.child.kill();
  rmSync(bare.entry);
  await command.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Item = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const textOf = async (path: string): Promise<string> => (await command.get(path)).text();

function databaseOf(items: readonly Item[]): string {
  const path = join(folder, 'items.db');
  const db = openSqlite(path, { readOnly: false, create: true });
  const names = Object.keys(items[0] ?? {});
  db.exec(`CREATE TABLE items (${names.join(', ')})`);
  db.exec('CREATE INDEX items_by_seq ON items (seq)');
  const insert = db.prepare(`INSERT INTO items VALUES (${names.map(() => '?').join(', ')})`);
  const stored = (value: Item[string] | undefined) =>
    typeof value === 'object' ? JSON.stringify(value) : typeof value === 'boolean' ? Number(value) : (value ?? null);
  for (const item of items) insert.run(...names.map((name) => stored(item[name])));
  db.close();
  return path;
}

async function startBare(options: BareOptions): Promise<typeof bare> {
  const entry = await bundleEntry(new URL('./support/bare.ts', import.meta.url), 'bare');
  const child = fork(fileURLToPath(entry));
  child.send(options);
  const [address] = (await once(child, 'message')) as [AddressInfo];
  return { child, entry, origin: `http://127.0.0.1:${address.port}` };
}

function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => (text += part));
      answer.on('end', () => (answer.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    });
    request.on('error', reject);
  });
}

/** Milliseconds of processor time for one request, asked one by one over one connection. */
async function costOf(pid: number, url: string, headers = {}): Promise<number> {
  const before = processorMsOf(pid);
  for (let n = 0; n < REQUESTS; n++) await ask(url, headers);
  return (processorMsOf(pid) - before) / REQUESTS;
}

/** In each round one after the other, so that a busy machine is as busy for both. */
async function ratioOf(bareUrl: string, path: string): Promise<{ ours: number; least: number; ratio: number }> {
  const [ours, least]: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const own = await costOf(command.pid, `${command.origin}/api/${path}`, command.headers);
    const other = await costOf(bare.child.pid ?? 0, `${bare.origin}${bareUrl}`);
    if (round < 0) continue;
    ours.push(own);
    least.push(other);
  }
  const [a, b] = [quantile(ours, 0.5), quantile(least, 0.5)];
  return { ours: a, least: b, ratio: b / a };
}

/** While nobody writes, an answer is made once: what is left are the guards, and a look whether somebody wrote. */
it.each([
  { name: 'metadata', bareUrl: '/one', path: ONE, bound: 0.5, goal: 0.5 },
  { name: 'list of 100', bareUrl: '/list', path: LIST, bound: 0.8, goal: 0.4 },
  { name: 'state', bareUrl: '/state', path: STATE, bound: 0.5, goal: 0.5 },
])(
  '$name has at least $bound of the throughput of the same answer from a bare server',
  async ({ name, bareUrl, path, bound, goal }) => {
    const { ours, least, ratio } = await ratioOf(bareUrl, path);
    console.log(
      `measured: ${name} ${(1000 * ours).toFixed(0)} µs of processor time, bare ${(1000 * least).toFixed(0)} µs: ${ratio.toFixed(2)} of its throughput (goal ${goal}), ${isOnOneCore ? 'on one core' : 'not on one core'}`,
    );
    expect(ratio).toBeGreaterThan(bound);
  },
);

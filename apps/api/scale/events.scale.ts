import { mkdtempSync, rmSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterEach, expect, it } from 'vitest';
import { startCommand, type Command } from './support/command.ts';

const READERS = 500;
const DEAF = 10;
const WRITES = 60;

const folder = mkdtempSync(join(tmpdir(), 'scale-events-'));
let command: Command | undefined;
afterEach(async () => {
  await command?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** An event stream; one that is deaf never reads what it is sent. */
function listen({ origin, headers }: Command, onText?: (text: string) => void): Promise<IncomingMessage> {
  return new Promise((done, fail) => {
    const asked = request(`${origin}/api/events`, { headers, agent: false }, (answer) => {
      if (onText) answer.on('data', (chunk: Buffer) => onText(chunk.toString()));
      else answer.pause();
      answer.on('error', () => undefined);
      done(answer);
    });
    asked.once('error', fail);
    asked.end();
  });
}

const until = async (holds: () => boolean, ms: number): Promise<void> => {
  const end = Date.now() + ms;
  while (!holds() && Date.now() < end) await new Promise((done) => setTimeout(done, 20));
};

it('S49 500 readers all see 60 writes while 10 never read; memory and descriptors come back', async () => {
  const path = join(folder, 'agents.db');
  const store = await openSqliteStore({ path });
  await store.save({ id: 'first', task: 'run', text: '{}' });
  command = await startCommand([path], join(folder, 'state'));
  const running = command;
  await (await running.get('tasks')).json();
  const before = { memory: running.memory(), descriptors: running.descriptors() };

  const seen = Array.from({ length: READERS }, () => '');
  const readers = await Promise.all(
    seen.map((_, at) => listen(running, (text) => (seen[at] = (seen[at] ?? '') + text))),
  );
  const deaf = await Promise.all(Array.from({ length: DEAF }, () => listen(running)));
  const changesOf = (text: string): number => text.split('event: change\n').length - 1;

  let most = running.memory();
  for (let write = 0; write < WRITES; write++) {
    const told = changesOf(seen[0] ?? '');
    await store.save({ id: `c-${write}`, task: 'run', text: `{"n":${write}}` });
    // Each write is seen before the next, else the watcher would rightly tell of several at once.
    await until(() => seen.every((text) => changesOf(text) > told), 5_000);
    most = Math.max(most, running.memory());
  }
  const counts = seen.map(changesOf);
  console.log(
    `measured: ${READERS} event streams, ${WRITES} writes: each reader saw ${Math.min(...counts)} to ${Math.max(...counts)} changes, memory +${Math.round((most - before.memory) / 1e6)} MB`,
  );
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(WRITES);
  expect(most - before.memory).toBeLessThan(300 * 1024 * 1024);

  for (const stream of [...readers, ...deaf]) stream.destroy();
  await until(() => running.descriptors() <= before.descriptors + 2, 10_000);
  expect(running.descriptors()).toBeLessThanOrEqual(before.descriptors + 2);
  await store.close();
});

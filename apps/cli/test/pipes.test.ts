import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { CLI, workplace } from './run.ts';

/** Runs it with an output that is closed before anything comes, as `… | true` does. */
async function unread(args: readonly string[], state: string, out: 'closed' | number = 'closed') {
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ['ignore', out === 'closed' ? 'pipe' : out, 'pipe'],
    env: { ...process.env, CHECKPOINT_INSPECTOR_STATE: state },
  });
  child.stdout?.destroy();
  let err = '';
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise<{ code: number | null; err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, err })),
  );
}

describe('an input that comes later', () => {
  it('is waited for by edit', async () => {
    const place = workplace();
    const path = place.path('agents.db');
    const store = await openSqliteStore({ path });
    await store.save({ task: 'run', id: 'c1', text: '{"n":1}' });
    await store.close();
    const args = ['edit', 'run/c1', '--file', '-', '--yes', '-s', path];
    const child = spawn(process.execPath, [CLI, ...args], {
      stdio: ['pipe', 'ignore', 'pipe'],
      env: { ...process.env, CHECKPOINT_INSPECTOR_STATE: place.state },
    });
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    setTimeout(() => child.stdin.end('{"n":2}\n'), 1_500);
    expect(await new Promise((resolve) => child.once('close', resolve)), err).toBe(0);
    expect((await place.run('show', 'run/latest', '-s', path)).out.trim()).toBe('{"n":2}');
  });
});

describe('an output that nobody reads', () => {
  const place = workplace();

  it('leaves verify its own exit code', async () => {
    const kaizen = place.kaizen();
    const name = readdirSync(kaizen).find((file) => file.endsWith('.jsonl')) ?? '';
    writeFileSync(`${kaizen}/${name}`, readFileSync(`${kaizen}/${name}`, 'utf8').slice(0, 40));
    const done = await unread(['verify', kaizen], place.state);
    expect(done.code).toBe(ERROR_CODES.unreadable.exit);
    expect(done.err).toContain('1 damaged part found');
  });

  it('lets a change finish', async () => {
    const path = place.path('agents.db');
    const store = await openSqliteStore({ path });
    for (const id of ['c1', 'c2']) await store.save({ task: 'run', id, text: '{}' });
    await store.close();
    expect(await unread(['delete', 'run/c1', '--yes', '-s', path], place.state)).toEqual({ code: 0, err: '' });
    const { items } = (await place.json('list', 'run', '-s', path)) as { items: { id: string }[] };
    expect(items.map(({ id }) => id)).toEqual(['c2']);
  });

  it.skipIf(!existsSync('/dev/full'))('is reported when its disk is full, without a stack trace', async () => {
    const full = openSync('/dev/full', 'w');
    const done = await unread(['exit-codes'], place.state, full);
    closeSync(full);
    expect(done.code).toBe(ERROR_CODES.disk_full.exit);
    expect(done.err).toMatch(/^error: .*ENOSPC/);
    expect(done.err).not.toMatch(/\n\s+at /);
  });
});

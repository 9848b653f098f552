import { createServer } from 'node:net';
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { workplace } from './run.ts';

describe('bad input', () => {
  const place = workplace();
  const langgraph = place.langgraph();

  it.each([
    ['a missing path', ['tasks', '-s', 'nowhere.db'], 'no_store', 'nowhere.db'],
    ['a folder without checkpoints', ['tasks', '-s', 'empty'], 'no_store', 'empty'],
    ['a missing path to open', ['./nowhere', '--no-open', '--port', '0'], 'no_store', 'nowhere'],
    ['a word that is neither', ['nowhere', '--no-open', '--port', '0'], 'invalid_input', 'nowhere'],
    ['an unknown command option', ['tasks', '--stroe', 'x'], 'invalid_input', '--stroe'],
    ['a port that is no number', ['checkpoints.sqlite', '--port', 'http', '--no-open'], 'invalid_input', '--port'],
    [
      'every interface',
      ['checkpoints.sqlite', '--host', '0.0.0.0', '--port', '0', '--no-open'],
      'invalid_input',
      '0.0.0.0',
    ],
    ['an unknown checkpoint', ['show', 'ckpt_none', '-s', 'checkpoints.sqlite'], 'not_found', 'ckpt_none'],
    ['an unknown task', ['list', 'no-such-thread', '-s', 'checkpoints.sqlite'], 'not_found', 'no-such-thread'],
    ['an unknown receipt', ['undo', 'r-none', '-s', 'checkpoints.sqlite'], 'not_found', 'r-none'],
    [
      'a limit out of range',
      ['list', 'fork-demo', '--limit', '0', '-s', 'checkpoints.sqlite'],
      'invalid_input',
      '--limit',
    ],
  ] as const)('%s', async (_, args, code, named) => {
    mkdirSync(place.path('empty'), { recursive: true });
    const done = await place.run(...args);
    expect(done.err).toContain(named);
    expect(done.code).toBe(ERROR_CODES[code].exit);
    expect(done.err).not.toMatch(/\n\s+at /);
    expect(done.out).toBe('');
  });

  it('one wrong target beside a good one is named, and stops no listing', async () => {
    mkdirSync(place.path('empty'), { recursive: true });
    const done = await place.run('tasks', '-s', 'empty', '-s', 'checkpoints.sqlite', '-s', 'nowhere.db');
    expect(done.code).toBe(0);
    expect(done.out).toContain('fork-demo');
    expect(done.err).toContain('empty');
    expect(done.err).toContain('nowhere.db');
  });

  it('a file that is not a database, and a table of another program', async () => {
    writeFileSync(place.path('notes.sqlite'), 'these are notes, not a database');
    const done = await place.run('tasks', '-s', 'notes.sqlite', '--json');
    expect(done.code).toBe(ERROR_CODES.no_store.exit);
    expect(JSON.parse(done.err)).toMatchObject({ error: { code: 'no_store', remedy: expect.stringMatching(/.+/) } });
  });

  it('a damaged database is named, and left as it is', async () => {
    copyFileSync(langgraph, place.path('torn.sqlite'));
    truncateSync(place.path('torn.sqlite'), 40_000);
    const before = readFileSync(place.path('torn.sqlite'));
    const done = await place.run('tasks', '-s', 'torn.sqlite');
    expect([ERROR_CODES.unreadable.exit, ERROR_CODES.no_store.exit]).toContain(done.code);
    expect(done.err).toContain('torn.sqlite');
    expect(readFileSync(place.path('torn.sqlite')).equals(before)).toBe(true);
  });

  it('writes nothing when nothing could be opened', async () => {
    const fresh = workplace();
    expect((await fresh.run('tasks', '-s', 'nowhere')).code).toBe(ERROR_CODES.no_store.exit);
    expect(existsSync(fresh.state)).toBe(false);
    expect(readdirSync(fresh.folder)).toEqual([]);
  });

  it('a port in use is named; no other port is taken in silence', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    const child = spawn(
      process.execPath,
      [new URL('../bin/checkpoint-inspector.mjs', import.meta.url).pathname, langgraph, '--no-open', '--port', port],
      {
        env: { ...process.env, CHECKPOINT_INSPECTOR_STATE: place.state },
      },
    );
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const code = await new Promise((resolve) => child.once('exit', resolve));
    server.close();
    expect(code).toBe(ERROR_CODES.port_in_use.exit);
    expect(err).toContain(port);
  });
});

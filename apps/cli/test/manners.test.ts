import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { CLI, workplace } from './run.ts';

describe('a pipe that closes', async () => {
  const place = workplace();
  const store = await openSqliteStore({ path: place.path('agents.db') });
  for (let n = 0; n < 60; n++) {
    // Long enough that no pipe takes it in one go.
    await store.save({
      task: 'run',
      id: `c${n}`,
      text: `{"n":${n},"pad":"${'x'.repeat(200)}"}`,
      description: 'y'.repeat(4000),
    });
  }
  await store.close();

  it.each([
    ['list', ['list', 'run']],
    ['list --json', ['list', 'run', '--json']],
    ['tree', ['tree', 'run']],
    ['history', ['history', 'run', '$.n']],
    ['show', ['show', 'c1', '--raw']],
  ])('ends %s quietly', async (_, args) => {
    const done = await closedAtOnce([...args, '-s', place.path('agents.db')], place.state);
    expect(done).toEqual({ code: 0, signal: null, err: '' });
  });
});

/** Runs it and closes its output as soon as something comes, as `head -1` does. */
async function closedAtOnce(args: readonly string[], state: string) {
  const child = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, CHECKPOINT_INSPECTOR_STATE: state } });
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdout.once('data', () => child.stdout.destroy());
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, err })));
}

describe('words that are not a command', () => {
  const place = workplace();

  it.each([
    ['restor', 'restore'],
    ['lsit', 'list'],
    ['Tasks', 'tasks'],
    ['verfy', 'verify'],
  ])('%s: did you mean %s?', async (word, meant) => {
    const done = await place.run(word, 'x');
    expect(done).toMatchObject({ code: ERROR_CODES.invalid_input.exit, out: '' });
    expect(done.err).toContain(`"${word}" isn't a command`);
    expect(done.err).toContain(`Did you mean "${meant}"?`);
    const help = await place.run('help', word);
    expect(help).toMatchObject({ code: ERROR_CODES.invalid_input.exit, out: '' });
    expect(help.err).toBe(`error: "${word}" isn't a command.\n  Did you mean "${meant}"?\n`);
  });

  it('after help are commands that there are', async () => {
    for (const word of ['list', 'exit-codes', 'help']) expect((await place.run('help', word)).code).toBe(0);
    expect((await place.run('help', 'nonsense')).err).toContain('See checkpoint-inspector --help.');
  });

  it('are still paths where they look like one, or are one', async () => {
    expect((await place.run('./restor')).code).toBe(ERROR_CODES.no_store.exit);
    expect((await place.run('restor.db')).code).toBe(ERROR_CODES.no_store.exit);
    mkdirSync(place.path('restor'));
    expect(await place.run('restor')).toMatchObject({ code: ERROR_CODES.no_store.exit });
    expect((await place.run('restor')).err).toContain('no checkpoints');
    expect((await place.run('open', 'nothing')).code).toBe(ERROR_CODES.no_store.exit);
  });

  it('a verb alone that needs more is the folder of this name, where there is one', async () => {
    expect((await place.run('fork')).err).toContain('missing required argument');
    mkdirSync(place.path('fork'));
    expect(await place.run('fork')).toMatchObject({ code: ERROR_CODES.no_store.exit });
    expect((await place.run('fork')).err).toContain('no checkpoints');
  });

  it('a command behind its options is told where it belongs', async () => {
    expect((await place.run('--json', 'tasks')).err).toContain('must come before its options');
  });

  it('a note may have more than one word', async () => {
    const kaizen = place.kaizen();
    const [first] = ((await place.json('list', 'research_agent', '-s', kaizen)) as { items: { id: string }[] }).items;
    const written = await place.json('note', first?.id ?? '', 'looks', 'right', 'to me', '-s', kaizen);
    expect(written).toMatchObject({ note: 'looks right to me' });
  });

  it('colours nothing in a pipe, and does with FORCE_COLOR', async () => {
    const langgraph = place.langgraph();
    writeFileSync(place.path('x'), '');
    expect((await place.run('tasks', '-s', langgraph)).out).not.toContain('\u001b[');
    expect((await place.runWith({ FORCE_COLOR: '1' }, 'tasks', '-s', langgraph)).out).toContain('\u001b[31mfailed');
    expect(
      (await place.runWith({ FORCE_COLOR: '1', NO_COLOR: '1' }, 'tasks', '-s', langgraph, '--json')).out,
    ).not.toContain('\u001b');
  });
});

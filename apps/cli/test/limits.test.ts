import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { CLI, workplace } from './run.ts';

const script = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '';
const hasTerminal = script.includes('util-linux');

describe('long output', async () => {
  const place = workplace();
  const store = await openSqliteStore({ path: place.path('agents.db') });
  for (let n = 1; n <= 250; n++) {
    const parent = n === 1 ? {} : { parent: { task: 'run', id: `checkpoint-${String(n - 1).padStart(30, '0')}` } };
    await store.save({
      task: 'run',
      id: `checkpoint-${String(n).padStart(30, '0')}`,
      text: `{"n":${n}}`,
      description: 'a step with a long description of what it did',
      ...parent,
    });
  }
  await store.close();
  /** In a terminal of 80 columns. */
  const inTerminal = (...args: string[]): string => {
    const line = [process.execPath, CLI, ...args, '-s', place.path('agents.db')].map((arg) => `'${arg}'`).join(' ');
    const env = { ...process.env, CHECKPOINT_INSPECTOR_STATE: place.state, TERM: 'xterm', NO_COLOR: '1' };
    const done = spawnSync('script', ['-qec', `stty cols 80; ${line}`, '/dev/null'], { env, encoding: 'utf8' });
    return done.stdout.replaceAll('\r', '');
  };
  const linesOf = (text: string) => text.trimEnd().split('\n');

  it('is whole in a pipe, and shorter with --limit', async () => {
    expect(linesOf((await place.run('history', 'run', '$.n', '-s', 'agents.db')).out)).toHaveLength(252);
    const some = (await place.run('history', 'run', '$.n', '--limit', '5', '-s', 'agents.db')).out;
    expect(linesOf(some)).toHaveLength(7);
    expect(some).toContain('more with --limit');
    const tree = linesOf((await place.run('tree', 'run', '--limit', '10', '-s', 'agents.db')).out);
    expect(tree.length).toBeLessThan(16);
    expect(tree.join('\n')).toContain('← latest');
    expect(tree.join('\n')).toContain('10 of 250 shown');
  });

  it('is limited in --json as well', async () => {
    expect(await place.json('history', 'run', '$.n', '--limit', '5', '-s', 'agents.db')).toMatchObject({
      items: { length: 5 },
      complete: false,
    });
    expect(await place.json('history', 'run', '$.n', '-s', 'agents.db')).toMatchObject({ of: 250, complete: true });
    expect(await place.json('tree', 'run', '--limit', '7', '-s', 'agents.db')).toMatchObject({
      items: { length: 7 },
      of: 250,
    });
    expect((await place.run('tree', 'run', '--limit', 'many', '-s', 'agents.db')).code).toBe(2);
  });

  it.skipIf(!hasTerminal)('has a limit on a terminal, says how to see more, and fits the width', async () => {
    const history = inTerminal('history', 'run', '$.n');
    expect(linesOf(history)).toHaveLength(102);
    expect(history).toContain('--limit all');
    expect(linesOf(inTerminal('tree', 'run')).length).toBeLessThan(110);
    const list = linesOf(inTerminal('list', 'run', '--limit', '20'));
    expect(Math.max(...list.filter((line) => !line.startsWith('More')).map((line) => line.length))).toBeLessThanOrEqual(
      80,
    );
    const ids = list.slice(1, 21).map((line) => /chec\S*…\S*/.exec(line)?.[0] ?? '');
    expect(new Set(ids).size).toBe(20);
    expect((await place.run('show', ids[3] ?? '', '--task', 'run', '-s', 'agents.db')).out).toBe('{"n":247}\n');
  });
});

describe('a history of a list', () => {
  it('says how many items it had and has, where both values begin alike', async () => {
    const place = workplace();
    const store = await openSqliteStore({ path: place.path('talk.db') });
    const messages = [{ role: 'user', content: 'a question of more than forty-eight characters' }];
    for (const content of ['one', 'two']) {
      messages.push({ role: 'assistant', content });
      await store.save({ task: 'talk', id: content, value: { messages } });
    }
    await store.close();
    expect((await place.run('history', 'talk', '$.messages', '-s', 'talk.db')).out).toContain('2 items → 3 items');
  });
});

describe('a history of long texts', () => {
  it('never shows where they were cut off: half a secret has no shape and is not masked', async () => {
    const place = workplace();
    const store = await openSqliteStore({ path: place.path('long.db') });
    const secret = `sk-proj-${'A1b2C3d4'.repeat(6)}`;
    for (const word of ['old', 'new']) {
      const said = `${'word '.repeat(396)}${word} ${secret}`;
      await store.save({ task: 'long', id: word, value: { said, list: [said] } });
    }
    await store.close();
    for (const path of ['$.said', '$.list']) {
      const { out } = await place.run('history', 'long', path, '-s', 'long.db');
      expect(out).toContain('changed');
      expect(out).not.toContain('sk-proj');
    }
  });
});

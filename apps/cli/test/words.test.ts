import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { workplace } from './run.ts';

describe('a misspelt command', () => {
  const place = workplace();

  it.each([
    ['restor', ['x', '--yes'], 'restore'],
    ['serch', ['4200', '--wait', '5'], 'search'],
    ['lst', ['--help'], 'list'],
  ])('%s with options of the real one: did you mean that?', async (word, rest, meant) => {
    const done = await place.run(word, ...rest);
    expect(done).toMatchObject({ code: ERROR_CODES.invalid_input.exit, out: '' });
    expect(done.err).toContain(`Did you mean "${meant}"?`);
    expect(done.err).not.toContain('unknown option');
  });

  it('leaves help, real commands and their other names alone', async () => {
    expect(await place.run('help', 'exit-codes')).toMatchObject({ code: 0, err: '' });
    expect(await place.run('exit-codes')).toMatchObject({ code: 0, err: '' });
    expect(await place.run('diagnose', '--help')).toEqual(await place.run('explain', '--help'));
    expect(await place.run('help', 'diagnose')).toMatchObject({ code: 0, err: '' });
  });
});

describe('a misspelt option', () => {
  it('is answered in one line, with the option that was meant', async () => {
    const done = await workplace().run('tasks', '--revea');
    expect(done.err).toContain("unknown option '--revea' (Did you mean --reveal?)");
  });

  it('may be a name: then it needs -- before it', async () => {
    const place = workplace();
    place.kaizen();
    expect((await place.run('list', '-dash')).err).toContain('put -- before it');
    expect((await place.run('list', '--', '-dash')).err).toContain('No task "-dash"');
  });
});

describe('a store on the command line', () => {
  it('is named by an option: a word too many may have been meant so', async () => {
    const place = workplace();
    place.kaizen();
    expect((await place.run('tasks', 'kaizen')).err).toContain('If it is a store, put -s before it.');
    expect((await place.run('tasks', '-s', 'kaizen')).code).toBe(0);
  });

  it('has a name of small letters, digits and hyphens, and a path', async () => {
    const place = workplace();
    place.kaizen();
    expect((await place.run('tasks', '-s', 'a=kaizen')).code).toBe(0);
    for (const [store, words] of [
      ['A=kaizen', `"A" can't be the name of a store.`],
      ['', 'The path of a store is empty.'],
    ] as const) {
      const done = await place.run('tasks', '-s', store);
      expect(done).toMatchObject({ code: ERROR_CODES.invalid_input.exit, out: '' });
      expect(done.err).toContain(words);
    }
  });
});

describe('search', () => {
  it('masks secrets of known shapes, and shows them with --reveal', async () => {
    const place = workplace();
    const key = `ghp_${'a1B2'.repeat(9)}`;
    const store = await openSqliteStore({ path: place.path('agents.db') });
    await store.save({ task: 'run', id: 'c1', text: JSON.stringify({ note: `needle ${key}` }) });
    await store.close();
    const search = ['search', 'needle', '-s', place.path('agents.db')];
    expect((await place.run(...search)).out).toMatch(/needle ghp_•+/);
    expect((await place.run(...search, '--reveal')).out).toContain(key);
    const value = JSON.stringify(`needle ${key}`);
    expect(await place.json(...search, '--reveal')).toMatchObject({ items: [{ snippet: {}, value }] });
    expect(JSON.stringify(await place.json(...search))).not.toContain(key);
  });

  it('shows them in a state with a number that only Python writes', async () => {
    const place = workplace();
    const key = `ghp_${'a1B2'.repeat(9)}`;
    const state = {
      checkpoint_id: 'ckpt_0123456789ab',
      agent_id: 'a',
      step_number: 1,
      status: 'running',
      metadata: {},
    };
    const text = JSON.stringify({
      ...state,
      timestamp: '2026-01-01T00:00:00+00:00',
      note: `needle ${key}`,
      score: 0.5,
    });
    mkdirSync(place.path('kaizen'));
    writeFileSync(place.path('kaizen/ckpt_0123456789ab.jsonl'), text.replace('0.5', 'NaN'));
    const done = await place.run('search', 'needle', '--reveal', '-s', place.path('kaizen'));
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain(key);
  });
});

describe('verify of a path that is missing', () => {
  const place = workplace();

  it('finds no store, and no damage', async () => {
    const done = await place.run('verify', 'nothing.db');
    expect(done).toMatchObject({ code: ERROR_CODES.no_store.exit, out: '' });
    expect(done.err).toContain('nothing.db');
    expect(done.err).not.toContain('damage');
  });

  it('reads the others, and still ends as no store', async () => {
    const done = await place.run('verify', place.langgraph(), 'nothing.db');
    expect(done.code).toBe(ERROR_CODES.no_store.exit);
    expect(done.out).toContain('477');
    expect(done.out).toMatch(/not found: .*nothing\.db/);
    expect(done.out).not.toContain('No damage found');
  });
});

/** Names with secrets, as the command prints them and takes them again. */
import { randomBytes } from 'node:crypto';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { workplace } from './run.ts';

const secret = `ghp_${randomBytes(18).toString('hex')}`;
const password = randomBytes(9).toString('hex');
const place = workplace();

beforeAll(async () => {
  const store = await openSqliteStore({ path: place.path(`${secret}.db`) });
  const text = JSON.stringify({ n: 1, token: secret });
  await store.save({ task: `deploy ${secret}`, id: 'one', text });
  await store.save({
    task: `deploy ${secret}`,
    id: 'two',
    text,
    status: 'failed',
    parent: { task: `deploy ${secret}`, id: 'one' },
  });
  await store.close();
});

const shown = async (): Promise<string> => {
  const { out } = await place.run('tasks');
  return /deploy ghp_••••#[0-9a-f]{3}/.exec(out)?.[0] ?? out;
};

describe('a masked name', () => {
  it('is the same in every run, and is taken by the next command', async () => {
    const name = await shown();
    expect(await shown()).toBe(name);
    for (const args of [
      ['list', name],
      ['history', name, '$.n'],
      ['tree', name],
      ['diff', `${name}/one`, `${name}/two`],
    ]) {
      const { code, out, err } = await place.run(...args);
      expect([code, err, out.includes(secret)], args.join(' ')).toEqual([0, '', false]);
    }
  });

  it('of a file is taken after -s, also from the undo that a change prints', async () => {
    const { out } = await place.run('restore', `${await shown()}/one`, '--yes', '-s', `${secret}.db`);
    const [, id = '', file = ''] = /undo: checkpoint-inspector undo (\S+) -s '?([^'\n]+\.db)/.exec(out) ?? [out];
    expect(file).toContain('••••#');
    const undone = await place.run('undo', id, '-s', file, '--yes');
    expect([undone.code, `${undone.out}${undone.err}`.includes(secret)]).toEqual([0, false]);
  });
});

describe('what looks like an address', () => {
  it.each([
    [' postgres://app:PW@127.0.0.1:1/ck'],
    ['postgres//app:PW@h/ck'],
    ['host=h user=app password=PW'],
    ['password=PW host=h'],
  ])('%s: is refused without its password', async (address) => {
    for (const args of [
      ['tasks', '-s'],
      ['doctor', '-s'],
      ['copy', `${secret}.db`],
    ]) {
      for (const json of [[], ['--json']]) {
        const { code, out, err } = await place.run(...args, address.replace('PW', password), ...json);
        expect(`${out}${err}`).not.toContain(password);
        expect(code).not.toBe(0);
      }
    }
  });
});

describe('a value of which only its name says that it is a secret', () => {
  const versions = { one: 'hunter2', two: 'hunter3' };

  beforeAll(async () => {
    const store = await openSqliteStore({ path: place.path('named.db') });
    const text = (own: string): string =>
      JSON.stringify({ db: { password: own, pin: own === 'hunter2' ? 4711 : 4712 } });
    await store.save({ task: 'named', id: 'one', text: text(versions.one) });
    await store.save({ task: 'named', id: 'two', text: text(versions.two), parent: { task: 'named', id: 'one' } });
    await store.close();
  });

  it.each([
    ['show', 'named/two', '--path', '$.db'],
    ['show', 'named/two', '--find', 'hunter'],
    ['diff', 'named/one', 'named/two'],
    ['history', 'named', '$.db.password'],
    ['history', 'named', '$.db'],
    ['list', 'named'],
    ['search', 'hunter3'],
    ['edit', 'named/two', '--set', '$.db.password="hunter4"', '--set', '$.db.pin=4713', '--dry-run'],
  ])('is masked: %s %s %s', async (...args) => {
    const { code, out, err } = await place.run(...args, '-s', 'named.db');
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toMatch(/hunter\d|471\d/);
  });

  it.each([
    ['diff', 'named/one', 'named/two'],
    ['history', 'named', '$.db.password'],
  ])('is shown with --reveal: %s', async (...args) => {
    expect((await place.run(...args, '-s', 'named.db', '--reveal')).out).toContain('"hunter2" → "hunter3"');
  });
});

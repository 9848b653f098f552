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

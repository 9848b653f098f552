import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { workplace } from './run.ts';

const MESSAGES = Array.from({ length: 1_200 }, (_, n) => `{"id":"m-${n}","n":${n}.0}`).join(',');
const DATA = Buffer.from(Uint8Array.from({ length: 600 }, (_, at) => (at * 7919) % 251)).toString('base64');
const TEXT = `{"goal":"x","messages":[${MESSAGES}],"key":"sk-proj-${'Ab1'.repeat(16)}","image":"data:image/png;base64,${DATA}"}`;

describe('show --path and --find', async () => {
  const place = workplace();
  const store = await openSqliteStore({ path: place.path('agents.db') });
  await store.save({ task: 'run', id: 'big', text: TEXT });
  await store.close();

  it('prints a page of a long list, and says how to go on', async () => {
    const { out } = await place.run('show', 'big', '--path', '$.messages', '--offset', '1000', '--limit', '2');
    expect(out).toContain('$.messages  array, 1200 items');
    expect(out).toContain('[1001]');
    expect(out).toContain('198 more: --offset 1002');
    expect(await place.json('show', 'big', '--path', '$.messages', '--offset', '1199')).toMatchObject({
      path: '$.messages',
      count: 1_200,
      children: [{ step: 1_199, kind: 'object', text: '{"id":"m-1199","n":1199.0}' }],
    });
  });

  it('counts one item and one key as one', async () => {
    const path = place.path('few.db');
    const few = await openSqliteStore({ path });
    await few.save({ task: 'run', id: 'few', text: '{"a":[{"b":1}]}' });
    await few.close();
    const { out } = await place.run('show', 'few', '--path', '$.a', '-s', path);
    expect(out).toContain('$.a  array, 1 item, ');
    expect(out).toContain('object, 1 key\n');
  });

  it('prints one value as stored', async () => {
    expect((await place.run('show', 'big', '--path', '$.messages[7].n')).out).toBe('7.0\n');
    expect((await place.run('show', 'big', '--path', '$.none')).code).toBe(4);
    expect((await place.run('show', 'big', '--path', 'none')).code).toBe(2);
  });

  it('names data instead of printing it, and masks secrets in lists', async () => {
    const { out } = await place.run('show', 'big', '--path', '$');
    expect(out).toMatch(/image .*image\/png, 600 B, sha256 [0-9a-f]{64}|image .*image\/png, 600 B/);
    expect(out).not.toContain('Ab1Ab1Ab1Ab1Ab1');
  });

  it('finds text', async () => {
    const { out } = await place.run('show', 'big', '--find', 'M-119', '--limit', '3');
    expect(out).toContain('$.messages[1190].id');
    expect(out).toMatch(/There may be more: --offset \d+/);
    expect((await place.run('show', 'big', '--find', 'Ab1Ab1')).out).toMatch(/sk-p••••#[0-9a-f]{3}/);
    expect((await place.run('show', 'big', '--find', 'Ab1Ab1')).out).not.toContain('Ab1');
    expect(await place.json('show', 'big', '--find', 'nothing here')).toMatchObject({ items: [], length: TEXT.length });
  });

  it('masks secrets in the description of a step', async () => {
    const key = `sk-proj-${'Ab1'.repeat(16)}`;
    const told = await openSqliteStore({ path: place.path('told.db') });
    await told.save({ task: 'told', id: 'one', text: '{"n":1}' });
    const parent = { task: 'told', id: 'one' };
    await told.save({ task: 'told', id: 'two', parent, text: '{"n":2}', description: `called with ${key}` });
    await told.close();
    const diff = await place.run('diff', 'one', 'two', '--steps', '-s', 'told.db');
    expect(diff.out).toMatch(/called with sk-p••••#[0-9a-f]{3}/);
    expect(diff.out).not.toContain(key);
    const completion = await place.run('completion', 'zsh', '--', 'show', '-s', 'told.db', 'told/t');
    expect(completion.out).toMatch(/called with sk-p••••#[0-9a-f]{3}/);
    expect(completion.out).not.toContain(key);
  });
});

import { FolderIndex } from '@checkpoint-inspector/io';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { copyOf, openRlmAct } from '../rlm-act/fixtures/open.ts';

it('lists the folder once for a row and its state, and not at all for a state that is known', async () => {
  const folder = await copyOf('go');
  await utimes(folder, new Date(0), new Date(Date.now() - 60_000));
  const source = await openRlmAct(folder);
  const lists = vi.spyOn(FolderIndex.prototype, 'read');
  onTestFinished(() => lists.mockRestore());
  const [name = ''] = (await readdir(folder)).filter((one) => one.endsWith('.json'));
  const [ref] = await source.find(name.slice(0, -'.json'.length));
  if (!ref) throw new Error('The fixture has no such checkpoint.');
  lists.mockClear();
  await source.meta(ref);
  const state = await source.state(ref);
  expect(lists).toHaveBeenCalledTimes(1);
  expect([await source.state(ref), Buffer.from((await source.raw(ref)) ?? []).toString()]).toEqual([
    state,
    state?.text,
  ]);
  expect(lists).toHaveBeenCalledTimes(1);
  // Written in place: the folder's own time stays as it was.
  await utimes(join(folder, name), new Date(), new Date());
  await source.state(ref);
  expect(lists).toHaveBeenCalledTimes(2);
});

import promises, { readdir, utimes, writeFile } from 'node:fs/promises';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { copyOf, openRlmAct } from '../rlm-act/fixtures/open.ts';

/** Lists of folders and looks at files by anyone in this process. */
function countLooks(): { readonly looks: () => number; readonly opens: () => number } {
  const looks = [vi.spyOn(promises, 'readdir'), vi.spyOn(promises, 'lstat'), vi.spyOn(fs, 'lstatSync')];
  const opens = [vi.spyOn(promises, 'open'), vi.spyOn(fs, 'openSync')];
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const spy of [...looks, ...opens]) spy.mockRestore();
    syncBuiltinESMExports();
  });
  const sum = (spies: readonly { readonly mock: { readonly calls: readonly unknown[] } }[]) => () =>
    spies.reduce((calls, spy) => calls + spy.mock.calls.length, 0);
  return { looks: sum(looks), opens: sum(opens) };
}

it.runIf(process.platform === 'linux')('asks the disk for a state only, until something changes', async () => {
  const folder = await copyOf('go');
  const source = await openRlmAct(folder);
  onTestFinished(() => source.close());
  onTestFinished(source.watch(() => undefined));
  const [name = ''] = (await readdir(folder)).filter((one) => one.endsWith('.json'));
  const [ref] = await source.find(name.slice(0, -'.json'.length));
  if (!ref) throw new Error('The fixture has no such checkpoint.');
  const { looks, opens } = countLooks();
  await source.tasks();
  await source.checkpoints(ref.task);
  await source.meta(ref);
  await source.latest(ref.task);
  expect([looks(), opens()]).toEqual([0, 0]);
  const state = await source.state(ref);
  expect(Buffer.from((await source.raw(ref)) ?? []).toString()).toBe(state?.text);
  expect([looks(), opens()]).toEqual([0, 2]);
  // Written in place: the folder's own time stays as it was.
  await utimes(join(folder, name), new Date(), new Date());
  await source.meta(ref);
  expect(opens()).toBe(3);
  await writeFile(join(folder, 'new.json'), state?.text ?? '');
  const before = opens();
  expect(await source.find('new')).toHaveLength(1);
  expect(opens()).toBe(before + 1);
});

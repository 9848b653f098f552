import { expect, it, vi } from 'vitest';
import { together } from './together.ts';

it('asks once for what is asked at the same time, and gives each its own answers', async () => {
  const ask = vi.fn(async ([tasks = [], , ids = []]: readonly (readonly string[])[]) =>
    [...new Set(ids)].flatMap((id) => (id === 'none' ? [] : [1, 2].map((n) => ({ task: tasks[0] ?? '', id, n })))),
  );
  const asked = together(ask, (answer) => answer);
  const ns = async (id: string) => (await asked({ task: 't', id })).map(({ id: of, n }) => `${of}${n}`);
  expect(await Promise.all(['a', 'b', 'none', 'a'].map(ns))).toEqual([['a1', 'a2'], ['b1', 'b2'], [], ['a1', 'a2']]);
  expect(ask).toHaveBeenCalledTimes(1);
  await ns('a');
  expect(ask).toHaveBeenCalledTimes(2);
  ask.mockRejectedValueOnce(new Error('gone'));
  await expect(Promise.all(['a', 'b'].map(ns))).rejects.toThrow('gone');
});

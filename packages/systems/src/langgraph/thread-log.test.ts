import { expect, it } from 'vitest';
import { ThreadLog } from './thread-log.ts';

it('tells each reader what was added since its own mark, once', () => {
  const log = new ThreadLog();
  const { mark: first } = log.since(undefined);
  log.add(['a', 'b', 'a']);
  const { mark: second, threads } = log.since(first);
  expect([...(threads ?? [])]).toEqual(['a', 'b']);
  log.add(['c', undefined]);
  expect(log.since(second)).toMatchObject({ threads: new Set(['c']), mayBeMore: true });
  expect(log.since(first).threads).toEqual(new Set(['a', 'b', 'c']));
  expect(log.since(log.since(second).mark)).toMatchObject({ threads: new Set(), mayBeMore: false });
});

it('knows no mark of another log, and none that is too old', () => {
  const log = new ThreadLog();
  const { mark } = log.since(undefined);
  expect(new ThreadLog().since(mark).threads).toBeUndefined();
  for (const wrong of ['', 'not a mark', `x${mark}`, `${mark}9`, undefined])
    expect(log.since(wrong)).toMatchObject({ mayBeMore: true });
  const names = Array.from({ length: 3_000 }, (_, n) => `t${n}`);
  for (let n = 0; n < 3; n++) log.add(names);
  expect(log.since(mark).threads).toBeUndefined();
  const now = log.since(undefined).mark;
  log.add(['new']);
  expect(log.since(now).threads).toEqual(new Set(['new']));
});

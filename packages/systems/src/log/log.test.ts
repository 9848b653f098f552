import { describeSource } from '@checkpoint-inspector/core/testing';
import { appendFile, lutimes, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSteps, step, stepsIn } from './fixtures/steps.ts';
import type { LogSource } from './index.ts';

const A = step('1', { title: 'First', n: 1.0 }) + step('2') + step('3', { open: true });
/** Two logs of one session, a fork of it, one with damage, and one whose base isn't there. */
const FILES = {
  a: A,
  a_2: `${JSON.stringify({ base: { key: 'a', end: Buffer.byteLength(step('1', { title: 'First', n: 1.0 })) } })}\n${step('4')}`,
  fork: `${JSON.stringify({ base: { key: 'a_2', end: 200 } })}\n`.replace('200', '0') + step('f1') + step('f2'),
  bad: `${step('1')}{"id": "2", \u0000}\r\n\n\u0001\n${step('3').trim()}\r\n{"id": "torn`,
  orphan: `${JSON.stringify({ base: { key: 'gone', end: 5 } })}\n${step('o1')}`,
  round: `${JSON.stringify({ base: { key: 'round', end: 5 } })}\n${step('r1')}`,
};

const ids = async (source: LogSource, task: string) =>
  (await source.checkpoints(task, { limit: 1000 })).items.map((meta) => meta.id);

describeSource('logs', { open: async () => ({ source: await openSteps(await stepsIn(FILES)) }) });

it('lists a session of two files as one task, the steps that were left as a branch', async () => {
  const source = await openSteps(await stepsIn(FILES));
  const rows = [];
  for await (const { id, parent, kind, status } of source.lineage('a')) rows.push([id, parent?.id, kind, status]);
  expect(rows).toEqual([
    ['1', undefined, 'none', 'completed'],
    ['2', '1', 'inferred', 'completed'],
    ['3', '2', 'inferred', 'completed'],
    ['4', '1', 'recorded', 'completed'],
  ]);
  expect((await source.state({ task: 'a', id: '4' }))?.text).toBe(
    `[${step('1', { title: 'First', n: 1.0 }).trim()},${step('4').trim()}]`,
  );
});

it('lists every line that is no record with its place, and says of a torn end that it waits', async () => {
  const source = await openSteps(await stepsIn(FILES));
  const { items } = await source.checkpoints('bad');
  expect(items.map(({ id, problem }) => [id, problem?.offset])).toEqual([
    ['3', undefined],
    ['byte-28', 28],
    ['byte-11', 11],
    ['1', undefined],
  ]);
  expect((await source.latest('bad')).note).toContain('12 bytes without an end');
  expect((await source.raw({ task: 'bad', id: 'byte-28' }))?.[0]).toBe(1);
});

it('names what keeps a state from being read: a missing base, or one in a circle', async () => {
  const source = await openSteps(await stepsIn(FILES));
  await expect(source.state({ task: 'orphan', id: 'o1' })).rejects.toMatchObject({
    code: 'unreadable',
    message: 'The log it is based on is missing: gone.',
  });
  await expect(source.state({ task: 'round', id: 'r1' })).rejects.toMatchObject({ message: /based on itself/ });
  const { items } = await source.tasks();
  expect(items.find((task) => task.id === 'orphan')).toMatchObject({ unreadable: 1, checkpointCount: 1 });
});

it('goes on where a log grew, and settles what was open under the same id', async () => {
  const root = await stepsIn({ a: A });
  let read = 0;
  const source = await openSteps(root, { onRead: (bytes) => (read += bytes) });
  await ids(source, 'a');
  await appendFile(join(root, 'a.steps'), step('x'.repeat(20_000)).repeat(10));
  await ids(source, 'a');
  read = 0;
  const added = step('3') + step('5').slice(0, 4);
  await appendFile(join(root, 'a.steps'), added);
  expect((await ids(source, 'a'))[0]).toBe('3');
  expect(read).toBeLessThanOrEqual(added.length + 256);
  await appendFile(join(root, 'a.steps'), step('5').slice(4));
  expect((await ids(source, 'a')).slice(0, 2)).toEqual(['5', '3']);
});

it('starts again where a log was cut, replaced, or overwritten', async () => {
  const root = await stepsIn({ a: A });
  const path = join(root, 'a.steps');
  const source = await openSteps(root);
  await ids(source, 'a');
  await truncate(path, Buffer.byteLength(step('1', { title: 'First', n: 1.0 })));
  expect(await ids(source, 'a')).toEqual(['1']);
  await writeFile(join(root, 'new'), step('n1') + step('n2'));
  await rename(join(root, 'new'), path);
  expect(await ids(source, 'a')).toEqual(['n2', 'n1']);
  await writeFile(path, step('o1') + step('o2') + step('o3'));
  expect(await ids(source, 'a')).toEqual(['o3', 'o2', 'o1']);
  await rm(path);
  expect(await ids(source, 'a')).toEqual([]);
});

it('reads only the head and tail of a large log for the list, and says that there may be more', async () => {
  const many = Array.from({ length: 40_000 }, (_, n) => step(`s${n}`, { pad: 'x'.repeat(80) })).join('');
  const root = await stepsIn({ large: many });
  let read = 0;
  const source = await openSteps(root, { onRead: (bytes) => (read += bytes) });
  const { items } = await source.tasks();
  expect(read).toBeLessThan(200_000);
  expect(items[0]).toMatchObject({ atLeast: true, latestId: 's39999', status: 'completed' });
  read = 0;
  await source.checkpoints('large', { limit: 10 });
  expect(read).toBe(many.length);
  read = 0;
  await source.checkpoints('large', {
    limit: 10,
    cursor: (await source.checkpoints('large', { limit: 10 })).cursor ?? '',
  });
  expect((await source.tasks()).items[0]?.checkpointCount).toBe(40_000);
  expect((await source.tasks()).items[0]?.atLeast).toBeUndefined();
  expect(read).toBe(0);
});

it('reads no further for a small state than where it is too large, and gives the whole one afterwards', async () => {
  const many = Array.from({ length: 40_000 }, (_, n) => step(`s${n}`, { pad: 'x'.repeat(80) })).join('');
  let read = 0;
  const source = await openSteps(await stepsIn({ large: many }), { onRead: (bytes) => (read += bytes) });
  await ids(source, 'large');
  const [first, last] = [0, 39_999].map((n) => ({ task: 'large', id: `s${n}` }));
  if (!first || !last) throw new Error('unreachable');
  read = 0;
  await expect(source.state(last, { mostCharacters: 10_000 })).rejects.toMatchObject({ code: 'too_large' });
  expect(read).toBeLessThan(many.length / 2);
  read = 0;
  for (let n = 39_000; n < 40_000; n++) {
    const ref = { task: 'large', id: `s${n}` };
    await expect(source.state(ref, { mostCharacters: 10_000 })).rejects.toMatchObject({ code: 'too_large' });
  }
  expect(read).toBe(0);
  expect(await source.state(first, { mostCharacters: 10_000 })).toEqual(await source.state(first));
  expect((await source.state(last))?.text.length).toBeGreaterThan(many.length - 1);
});

it('replays a history step by step, not each state from the beginning', async () => {
  const many = Array.from({ length: 500 }, (_, n) => step(`s${n}`, { pad: 'x'.repeat(80) })).join('');
  const root = await stepsIn({ large: many });
  let read = 0;
  const source = await openSteps(root, { onRead: (bytes) => (read += bytes) });
  await ids(source, 'large');
  read = 0;
  for (let n = 0; n < 500; n++) await source.state({ task: 'large', id: `s${n}` });
  expect(read).toBe(many.length);
  // Backwards as people read a history, the copies on the way are used: not the square of the length.
  for (let n = 499; n >= 0; n--) await source.state({ task: 'large', id: `s${n}` });
  expect(read).toBeLessThan(8 * many.length);
  const fresh = await openSteps(root);
  for (const n of [499, 250, 251, 3, 0]) {
    const ref = { task: 'large', id: `s${n}` };
    expect(await source.state(ref)).toEqual(await fresh.state(ref));
  }
});

describe('beside other sessions', () => {
  const others = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`other${n}`, step('o')]));
  const many = Array.from({ length: 40 }, (_, n) => step(`s${n}`)).join('');
  // All in one moment, however busy the machine is.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Written long ago, so that its clock hides no second change. */
  const settled = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const root = await stepsIn(files);
    await utimes(root, 1, 1);
    return root;
  };

  it('going from state to state looks only at the files that the states are made of', async () => {
    const base = `${JSON.stringify({ base: { key: 'a', end: Buffer.byteLength(step('s0')) } })}\n`;
    const root = await settled({ ...others, a: many, fork: base + many });
    let looks = 0;
    const source = await openSteps(root, { onLook: (count) => (looks += count) });
    for (const task of ['a', 'fork']) {
      const found = await ids(source, task);
      looks = 0;
      for (const id of found) await source.state({ task, id });
      // The folder and the file; for the fork also the folder and the file that it continues.
      expect(looks).toBe(found.length * (task === 'a' ? 2 : 4));
    }
    vi.advanceTimersByTime(1_000);
    looks = 0;
    await source.latest('a');
    expect(looks).toBe(Object.keys(others).length + 2);
  });

  it('what was written before a call is seen: a longer log, one that came, one that went, another base', async () => {
    const first = step('1');
    const base = (end: number) => `${JSON.stringify({ base: { key: 'a', end } })}\n`;
    const root = await settled({ ...others, a: first, fork: base(first.length) + step('f') });
    const source = await openSteps(root);
    const state = async (task: string, id: string) => (await source.state({ task, id }))?.text;
    expect([await ids(source, 'a'), await state('fork', 'f')]).toEqual([
      ['1'],
      `[${first},${step('f')}]`.replaceAll('\n', ''),
    ]);
    await appendFile(join(root, 'a.steps'), step('2'));
    expect(await ids(source, 'a')).toEqual(['2', '1']);
    await writeFile(join(root, 'a_2.steps'), step('3'));
    expect(await ids(source, 'a')).toEqual(['3', '2', '1']);
    await utimes(root, 1, 1);
    expect(await ids(source, 'a')).toEqual(['3', '2', '1']);
    await rm(join(root, 'a_2.steps'));
    expect(await ids(source, 'a')).toEqual(['2', '1']);
    await writeFile(join(root, 'a.steps'), step('9'));
    expect(await state('fork', 'f')).toBe(`[${step('9')},${step('f')}]`.replaceAll('\n', ''));
    await truncate(join(root, 'a.steps'), 3);
    await expect(source.state({ task: 'fork', id: 'f' })).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('a folder that is opened by a link shows what is added to it', async () => {
    const root = await settled({ a: step('1') });
    const link = `${root}-link`;
    await symlink(root, link);
    await lutimes(link, 1, 1);
    const source = await openSteps(link);
    expect((await source.tasks()).items).toHaveLength(1);
    await writeFile(join(root, 'b.steps'), step('1'));
    expect((await source.tasks()).items.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(await ids(source, 'b')).toEqual(['1']);
    await rm(link);
  });
});

it('refuses a state that is too large, and still lists a line of ten megabytes', async () => {
  const source = await openSteps(await stepsIn({ a: step('1') + step('big', { pad: 'y'.repeat(10_000_000) }) }), {
    maxState: 1_000_000,
  });
  await expect(source.state({ task: 'a', id: 'big' })).rejects.toMatchObject({ code: 'too_large' });
  expect((await source.state({ task: 'a', id: '1' }))?.text).toBe('[{"id":"1"}]');
  expect(await ids(source, 'a')).toEqual(['big', '1']);
});

it('lists very many lines, ids that come again, and damage of every line', async () => {
  const lines = `${step('same')}\u0000\n`.repeat(30_000);
  const source = await openSteps(await stepsIn({ a: lines }));
  const { items } = await source.checkpoints('a', { limit: 3 });
  expect(items.map(({ id, seq }) => [id, seq])).toEqual([
    ['byte-479998', 60_000],
    ['same#30000', 59_999],
    ['byte-479982', 59_998],
  ]);
  expect(await source.find('same#77')).toEqual([{ task: 'a', id: 'same#77' }]);
});

it('tells which session was written to', async () => {
  const root = await stepsIn({ a: A, fork: FILES.fork });
  const source = await openSteps(root);
  const told = new Promise((resolve) => source.watch((event) => resolve(event)));
  const timer = setInterval(() => void appendFile(join(root, 'fork.steps'), step('n')), 300);
  expect(await told).toEqual({ task: 'fork' });
  clearInterval(timer);
  await source.close();
}, 60_000);

describe('a line of several records', () => {
  const line = (n: number, more = {}): string =>
    step(`${n}`, { words: 'a {"b" } of \\"c', in: [{ k: 1 }], ...more }).trim();
  const whole = (text: string) => text.match(/"id":"(\d)"/)?.[1];

  it('gives each whole one its bytes and its state, and says so', async () => {
    const root = await stepsIn({ a: `${line(1)}\n${line(2)}${line(3)}\n${line(4)}\n` });
    const source = await openSteps(root);
    expect(await ids(source, 'a')).toEqual(['4', '3', '2', '1']);
    expect(Buffer.from((await source.raw({ task: 'a', id: '2' })) ?? []).toString()).toBe(line(2));
    expect((await source.state({ task: 'a', id: '2' }))?.text).toBe(`[${line(1)},${line(2)}]`);
    expect((await source.latest('a')).note).toContain('1 line holds several records');
  });

  it('reads what is whole behind a cut one, wherever that was cut, and names the lost bytes', async () => {
    const cut = line(2);
    for (let length = 1; length < cut.length; length++) {
      const torn = cut.slice(0, length);
      const source = await openSteps(await stepsIn({ a: `${line(1)}\n${torn}${line(3)}\n${line(4)}\n` }));
      const { items } = await source.checkpoints('a');
      expect([length, items.map(({ id }) => id).filter((id) => !id.startsWith('byte-'))]).toEqual([
        length,
        ['4', '3', '1'],
      ]);
      const words = items.find(({ problem }) => problem)?.problem?.message;
      expect(words).toContain(`${length} byte${length === 1 ? '' : 's'} of a record that was cut off`);
      expect(whole((await source.state({ task: 'a', id: '3' }))?.text.slice(line(1).length) ?? '')).toBe('3');
      await source.close();
    }
  });

  it('names zeros as such, alone on a line, before a record, and at an end without a line break', async () => {
    const nul = '\0'.repeat(4096);
    const source = await openSteps(await stepsIn({ a: `${line(1)}\n${nul}\n${nul}${line(2)}\n${line(3)}${nul}` }));
    const { items } = await source.checkpoints('a');
    expect(items.flatMap(({ id, problem }) => (problem ? [] : [id]))).toEqual(['3', '2', '1']);
    const reasons = items.flatMap(({ problem }) => problem?.message ?? []);
    expect(reasons).toHaveLength(3);
    for (const reason of reasons) expect(reason).toContain('4,096 bytes of zeros (NUL)');
  });

  it('reads the whole one before an end that is still being written', async () => {
    const source = await openSteps(await stepsIn({ a: `${line(1)}${line(2).slice(0, 9)}` }));
    expect(await ids(source, 'a')).toEqual(['1']);
    expect((await source.latest('a')).note).toContain('9 bytes without an end');
  });
});

it('leaves a byte order mark out of the first record, and in its bytes', async () => {
  const source = await openSteps(await stepsIn({ a: `\uFEFF${step('1')}${step('2')}` }));
  expect(await ids(source, 'a')).toEqual(['2', '1']);
  expect((await source.state({ task: 'a', id: '1' }))?.text).toBe(`[${step('1').trim()}]`);
  expect(Buffer.from((await source.raw({ task: 'a', id: '1' })) ?? []).toString()).toBe(`\uFEFF${step('1')}`);
});

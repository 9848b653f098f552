import { expect, test } from 'vitest';
import { batched, inOrder, inTurn, oneByOne } from './batched.ts';

test('what is asked at the same moment is one statement, and nothing is asked twice', async () => {
  const statements: (readonly string[])[] = [];
  const lengthOf = batched(0, async (all: readonly string[]) => {
    statements.push(all);
    return all.map(({ length }) => length);
  });
  const later = async () => (await lengthOf('a')) + (await lengthOf('four')) + (await lengthOf('a'));
  expect(await Promise.all([later(), lengthOf('bb'), lengthOf('a')])).toEqual([6, 2, 1]);
  expect(statements).toEqual([['a', 'bb'], ['four']]);
});

test('a text with a NUL is nowhere, whoever is asked; a statement that fails is the answer of all in it', async () => {
  const failing = batched('nothing', (_all: readonly string[]) => Promise.reject<string[]>(new Error('no')));
  expect(await failing('a\0')).toBe('nothing');
  const answers = await Promise.allSettled([failing('a'), failing('b')]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const asked: string[] = [];
  const each = oneByOne('', async (one: string) => (asked.push(one), one.toUpperCase()));
  expect(await Promise.all([each('a'), each('b'), each('a')])).toEqual(['A', 'B', 'A']);
  expect(asked).toEqual(['a', 'b']);
});

test('a connection has one statement at a time, also after one that failed', async () => {
  let [running, most] = [0, 0];
  const reader = inTurn({
    query: async (sql) => {
      most = Math.max(most, ++running);
      await new Promise((resume) => setImmediate(resume));
      running--;
      if (sql === 'bad') throw new Error(sql);
      return [];
    },
  });
  const all = await Promise.allSettled(['good', 'bad', 'good'].map((sql) => reader.query(sql)));
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(most).toBe(1);
});

test('rows go to what was asked by their numbers, which count from 1', () => {
  const rows = [2, 1, 2].map((n, at) => ({ n, at }));
  expect(inOrder(['x', 'y', 'z'], rows, (own) => own.map(({ at }) => at))).toEqual([[1], [0, 2], []]);
});

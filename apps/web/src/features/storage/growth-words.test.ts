import { storeId } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import type { Growth } from '../../lib/api.ts';
import { caveatsOf, keepingWords, shareWords, storedWords } from './growth-words.ts';

const entry = { key: 'files', bytes: 580, checkpoints: 58, values: 3, repeatedBytes: 550, largest: 10 };
const none = { checkpoints: 0, bytes: 0 };
const growth: Growth = {
  store: storeId('a'),
  task: 'run',
  listed: { checkpoints: 58, bytes: 1200 },
  states: {
    checkpoints: 58,
    bytes: 1000,
    repeatedBytes: 550,
    entries: [entry],
    rest: { entries: 0, bytes: 0 },
    frameBytes: 420,
  },
  examined: { n: 58, of: 58, outside: none, unread: none, gaps: [] },
  keeping: [
    { newest: 1, checkpoints: 57, bytes: 1100 },
    { newest: 10, checkpoints: 48, bytes: 900 },
  ],
};

it('says how often an entry is stored, and how many values it had', () => {
  expect(storedWords(entry, false)).toBe('stored 58 times, 3 different values');
  expect(storedWords(entry, true)).toBe('in 58 checkpoints, 3 different values');
  expect(storedWords({ ...entry, values: 1 }, false)).toBe('stored 58 times, always the same');
  expect(storedWords({ ...entry, values: 58 }, false)).toBe('stored 58 times, always different');
  expect(storedWords({ ...entry, checkpoints: 1, values: 1 }, false)).toBe('stored 1 time');
});

it('gives shares in whole per cent', () => {
  expect(shareWords(580, 1000)).toBe('58%');
  expect(shareWords(1, 1000)).toBe('under 1%');
  expect(shareWords(0, 0)).toBe('0%');
});

it('says what pruning would free, the newest 10 first, and nothing where there is nothing to prune', () => {
  expect(keepingWords(growth)).toEqual([
    'Keeping only the newest 10 would free up to 900 B (48 checkpoints).',
    'Keeping only the newest checkpoint would free up to 1.1 kB (57 checkpoints).',
  ]);
  expect(keepingWords({ ...growth, keeping: [{ newest: 1, ...none }] })).toEqual([]);
});

it('names what the figures leave out', () => {
  expect(caveatsOf(growth)).toEqual(['58 of 58 checkpoints read; keys and punctuation take 420 B.']);
  const words = caveatsOf({
    ...growth,
    sharing: 'Checkpoints share values.',
    derived: 'msgpack',
    states: { ...growth.states, rest: { entries: 2, bytes: 30 } },
    examined: {
      ...growth.examined,
      n: 40,
      outside: { checkpoints: 16, bytes: 2000 },
      unread: { checkpoints: 2, bytes: 9 },
    },
  });
  expect(words).toEqual([
    'Checkpoints share values. Deleting some frees less than their sizes add up to.',
    '2 smaller entries: 30 B.',
    'Sizes of entries are as JSON; this store has the states in another form.',
    'Not read: 2 states, unreadable or too large.',
    'Not read: 16 older checkpoints, 2.0 kB.',
    '40 of 58 checkpoints read; keys and punctuation take 420 B.',
  ]);
});

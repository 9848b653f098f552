import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.ts';

const VERBS = ['restore', 'report', 'list', 'tasks', 'history', 'diff'];

describe('the name that was probably meant', () => {
  it.each([
    ['restor', 'restore'],
    ['lsit', 'list'],
    ['Histroy', 'history'],
    ['dif', 'diff'],
  ])('%s is %s', (word, meant) => expect(nearest(word, VERBS, 2)).toBe(meant));

  it('is none where every name is far away', () => {
    expect(nearest('checkpoints', VERBS, 2)).toBeUndefined();
    expect(nearest('checkpoints', VERBS)).toBeDefined();
  });
});

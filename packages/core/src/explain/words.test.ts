import { describe, expect, it } from 'vitest';
import { NO_LAST_GOOD } from '../failures/group.ts';
import type { StepRef } from './types.ts';
import {
  checkWords,
  examinedWords,
  failedWhereWords,
  kindWords,
  lastGoodWords,
  namedWords,
  originWords,
  stepRefWords,
} from './words.ts';

const at = (seq: number, description?: string): StepRef => ({
  task: 't',
  id: `c${seq}`,
  seq,
  ...(description === undefined ? {} : { description }),
});

it('numbers a step as its system counts it, and calls one without a name by its id', () => {
  expect(stepRefWords({ ...at(9, 'fetch'), stepIndex: 7 })).toBe('#07 fetch');
  expect(stepRefWords(at(112))).toBe('#112 c112');
});

describe('kindWords', () => {
  it('says where to run again after an error from outside', () => {
    expect(kindWords({ kind: 'outside', lastGood: { ...at(6), back: 2 } })).toMatch(/go back to #06 and run again/);
    expect(kindWords({ kind: 'outside', lastGood: { ...at(6), back: 0 } })).toMatch(/run again from #06/);
    expect(kindWords({ kind: 'outside' })).not.toMatch(/#/);
  });

  it('passes the arguments of a repeated call through what masks them', () => {
    const repeated = { call: 'search', args: '{"key":"sk-1"}', times: 4 };
    const words = kindWords({ kind: 'gave_up', repeated }, () => '{…}');
    expect(words).toContain('search({…}) 4 times');
    expect(words).not.toContain('sk-1');
  });

  it('never calls a step that saved nothing by the name of the one before it', () => {
    const failingStep = { ...at(1, 'load'), before: true } as const;
    expect(kindWords({ kind: 'threw', failingStep })).not.toContain('load');
    expect(kindWords({ kind: 'threw', failingStep: { ...failingStep, node: 'boom' } })).toContain('step boom threw');
    expect(failedWhereWords({ failingStep })).toBe('after #01 load');
    expect(failedWhereWords({ failingStep: { ...at(2, 'sum'), node: 'sum' } })).toBe('at #02 sum, in node sum');
  });

  it('has nothing to say of a run without a kind', () => expect(kindWords({})).toBeUndefined());
});

it('says that there is no earlier good checkpoint in the words of the errors list', () => {
  expect(lastGoodWords({})).toBe(`${NO_LAST_GOOD}.`);
  expect(lastGoodWords({ lastGood: { ...at(6, 'plan'), back: 1 } })).toContain('#06 plan, 1 step back');
});

it('gives the place of an origin only where one is known', () => {
  expect(originWords({ from: 'tool', name: 'search_prices', ref: at(6) })).toBe('from search_prices, #06');
  expect(originWords({ from: 'user' })).not.toContain('#');
  expect(originWords({ from: 'nowhere', ref: at(3) })).not.toContain('#03');
});

describe('checkWords', () => {
  const check = { path: '$.a.b', expected: '122', holds: false } as const;
  it('tells broken, never written and holding apart, with the value at the end', () => {
    expect(checkWords({ ...check, firstBroken: at(7, 'write'), found: '350' })).toMatch(/a\.b .*122.*#07 write.*350/);
    expect(checkWords({ ...check, never: true })).toMatch(/never written/);
    expect(checkWords({ ...check, holds: true, found: '122' })).not.toMatch(/never|broken/);
  });
});

it('names the last writer of what the error names, or that there is none', () => {
  expect(namedWords({ text: 'items[0].price', path: '$.items[0].price', ref: at(25) })).toMatch(/last written in #25/);
  expect(namedWords({ text: 'refund_id' })).toBe('refund_id: never written in this run');
});

it('says what was not looked at', () => {
  const gap = (seq: number) => ({ ref: { task: 't', id: 'c' }, seq, reason: 'torn' });
  expect(examinedWords({ examined: { n: 9, of: 9, gaps: [] } })).toEqual([]);
  expect(examinedWords({ examined: { n: 4, of: 9, gaps: [gap(2), gap(3)], partial: true } })).toHaveLength(3);
});

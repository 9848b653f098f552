import { parseJson } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { findInState, openTo, pathId, RANGE, stateRows } from './rows.ts';

const ids = (text: string, opened: ReadonlyMap<string, boolean> = new Map()): string[] =>
  stateRows(parseJson(text), opened).map((row) => row.id);

describe('state rows', () => {
  it('open the root and small containers near it', () => {
    expect(ids('{"a":{"b":{"c":1}},"d":[]}')).toEqual(['$', '$.a', '$.a.b', '$.d']);
  });
  it('close what the reader closed', () =>
    expect(ids('{"a":{"b":1}}', new Map([['$.a', false]]))).toEqual(['$', '$.a']));
  it('keep duplicate keys, marked', () => {
    const rows = stateRows(parseJson('{"a":1,"a":2}'), new Map());
    expect(rows.map((row) => row.kind === 'value' && row.duplicate)).toEqual([false, false, true]);
    expect(new Set(rows.map((row) => row.id)).size).toBe(3);
  });
  it('show large arrays in ranges', () => {
    const text = `[${Array.from({ length: RANGE * 3 }, (_, index) => index).join(',')}]`;
    const rows = stateRows(parseJson(text), new Map());
    expect(rows.filter((row) => row.kind === 'range')).toHaveLength(3);
    expect(rows).toHaveLength(1 + 3 + RANGE);
  });
  it('does not fail on deep nesting', () => {
    const text = '['.repeat(5000) + ']'.repeat(5000);
    expect(stateRows(parseJson(text), new Map()).length).toBeGreaterThan(1);
  });
});

describe('finding', () => {
  const text = `{"config":{"Key":"x"},"list":[${Array.from({ length: RANGE + 10 }, () => '0').join(',')}],"v":12345678901234567890}`;
  const root = parseJson(text);
  it('looks through keys and exact values', () => {
    expect(findInState(text, root, 'key').map(pathId)).toEqual(['$.config.Key']);
    expect(findInState(text, root, '12345678901234567890').map(pathId)).toEqual(['$.v']);
    expect(findInState(text, root, 'nowhere')).toEqual([]);
  });
  it('opens the way to a match, through a range', () => {
    const opened = openTo(root, ['list', RANGE + 3], new Map([['$.list', false]]));
    expect(stateRows(root, opened).map((row) => row.id)).toContain(`$.list[${RANGE + 3}]`);
  });
  it('does not lead astray on a path that is not there', () => {
    expect(() => openTo(root, ['config', 'no', 0, 'x'], new Map())).not.toThrow();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDecimals, addUsage, subtractDecimals, totalUsage, type UsedBy } from '../index.ts';

describe('addDecimals', () => {
  it('adds by digits, not by binary fractions', () => {
    expect(0.1 + 0.2).not.toBe(0.3);
    expect(addDecimals([0.1, 0.2])).toBe('0.3');
    expect(addDecimals(Array.from({ length: 10 }, () => 0.1))).toBe('1');
    expect(addDecimals([1e-7, '0.0037', 1e21])).toBe('1000000000000000000000.0037001');
    expect(addDecimals([])).toBe('0');
    expect(subtractDecimals(1.9, 0.15)).toBe('1.75');
    expect(subtractDecimals(0.15, '0.150')).toBe('0');
    expect(subtractDecimals(0, 0.5)).toBe('-0.5');
  });

  it('is exact for whole cents', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e9, max: 1e9 })), (cents) => {
        const sum = cents.reduce((total, one) => total + one, 0);
        expect(Number(addDecimals(cents.map((one) => one / 100))).toFixed(2)).toBe((sum / 100 || 0).toFixed(2));
      }),
    );
  });

  it.each(['', 'NaN', '1,5', Number.NaN, Number.POSITIVE_INFINITY, '1e999999999'])('refuses %j', (value) => {
    expect(() => addDecimals([value])).toThrow(RangeError);
  });
});

const saved = (id: string, parentId: string | undefined, more: Partial<UsedBy> = {}): UsedBy => ({
  id,
  taskId: 'run',
  ...(parentId === undefined ? {} : { parentId }),
  ...more,
});

describe('addUsage', () => {
  it('adds what checkpoints say, and tells how many do, per agent too', () => {
    const { all, agents } = addUsage([
      saved('1', undefined, { agentId: 'a', tokenUsage: 640, costUsd: 0.1, durationMs: 12 }),
      saved('2', '1', { agentId: 'a', tokenUsage: 0, costUsd: 0.2 }),
      saved('3', '2', { tokenUsage: 10 }),
    ]);
    expect(all).toEqual({
      checkpoints: 3,
      tokens: { value: '650', said: 3 },
      costUsd: { value: '0.3', said: 2 },
      durationMs: { value: '12', said: 1 },
    });
    expect(agents.get('a')).toEqual({
      checkpoints: 2,
      tokens: { value: '640', said: 2 },
      costUsd: { value: '0.3', said: 2 },
      durationMs: { value: '12', said: 1 },
    });
    expect(agents.get('')).toEqual({ checkpoints: 1, tokens: { value: '10', said: 1 } });
  });

  const running = new Set(['costUsd'] as const);
  const cost = (checkpoints: readonly UsedBy[]): string | undefined =>
    addUsage(checkpoints, running).all.costUsd?.value;

  it('takes the last of a running total on a line', () => {
    expect(cost([saved('1', undefined, { costUsd: 0.1 }), saved('2', '1', { costUsd: 0.3 })])).toBe('0.3');
    expect(cost([saved('2', '1', { costUsd: 0.3 }), saved('1', undefined, { costUsd: 0.1 })])).toBe('0.3');
  });

  it('counts what branches have in common once, and passes by those that do not say', () => {
    const base = [saved('1', undefined, { costUsd: 0.1 }), saved('2', '1', { costUsd: 0.15 }), saved('mute', '2')];
    const lanes = [saved('a', 'mute', { costUsd: 0.63 }), saved('b', '2', { costUsd: 1.9 })];
    expect(cost([...base, ...lanes])).toBe('2.38');
  });

  it('counts a fork into another task for what it added to its origin there', () => {
    const origin = { ...saved('1', undefined, { costUsd: 0.15 }), taskId: 'other' };
    const fork = saved('2', '1', { parentTaskId: 'other', costUsd: 0.22 });
    expect(addUsage([fork], running, [origin]).all).toEqual({ checkpoints: 1, costUsd: { value: '0.07', said: 1 } });
    expect(cost([fork])).toBe('0.22');
  });

  it('begins again where the total falls, where the parent is gone, and in a cycle', () => {
    expect(cost([saved('1', undefined, { costUsd: 0.4 }), saved('2', '1', { costUsd: 0.1 })])).toBe('0.5');
    expect(cost([saved('2', 'gone', { costUsd: 0.1 })])).toBe('0.1');
    expect(cost([saved('1', '2', { costUsd: 0.1 }), saved('2', '1', {})])).toBe('0.1');
  });

  it('says nothing where nothing is said', () => {
    expect(addUsage([saved('1', undefined)]).all).toEqual({ checkpoints: 1 });
    expect(totalUsage([])).toEqual({ checkpoints: 0 });
    expect(totalUsage([{ checkpoints: 2, tokens: { value: '3', said: 1 } }, { checkpoints: 1 }])).toEqual({
      checkpoints: 3,
      tokens: { value: '3', said: 1 },
    });
  });
});

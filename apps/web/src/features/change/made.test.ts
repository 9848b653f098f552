// @vitest-environment jsdom
import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { markMade, useMade } from './made.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('marks what was made last, and only for a moment', () => {
  const { result } = renderHook(useMade);
  const [first, second] = ['a', 'b'].map((id) => ({ store: 's', task: 't', id }));
  if (!first || !second) throw new Error('two places');
  expect(result.current(first)).toBe(false);
  act(() => markMade(first));
  expect(result.current(first)).toBe(true);
  act(() => markMade(second));
  expect([result.current(first), result.current(second)]).toEqual([false, true]);
  act(() => void vi.advanceTimersByTime(5_000));
  expect(result.current(second)).toBe(false);
});

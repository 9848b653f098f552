// @vitest-environment jsdom
import { renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useDrawn } from './hooks.ts';

it('waits until what is there was drawn once, and not where it was there from the first', () => {
  const drawn: boolean[] = [];
  const { rerender } = renderHook((isThere: boolean) => drawn.push(useDrawn(isThere)), { initialProps: false });
  rerender(true);
  expect(drawn).toEqual([false, false, true]);
  rerender(false);
  expect(drawn.slice(3)).not.toContain(true);
  expect(renderHook(() => useDrawn(true)).result.current).toBe(true);
});

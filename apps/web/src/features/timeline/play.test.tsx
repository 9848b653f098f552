// @vitest-environment jsdom
import { act, cleanup, renderHook } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { usePlayer } from './Controls.tsx';

const shown = (count: number, first: number) =>
  renderHook(() => {
    const [index, setIndex] = useState(first);
    return { index, setIndex, player: usePlayer({ index, count, go: setIndex }) };
  }).result;

/** In small steps, as time goes: what one step has set is drawn before the next. */
function wait(ms: number): void {
  for (let passed = 0; passed < ms; passed += 50) act(() => void vi.advanceTimersByTime(50));
}

describe('play', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => {
    cleanup();
    document.body.replaceChildren();
    vi.useRealTimers();
  });

  it('steps on to the end and stops there; from the end it begins again', () => {
    const seen = shown(4, 1);
    act(() => seen.current.player.toggle());
    wait(1000);
    expect(seen.current.index).toBe(2);
    wait(2000);
    expect([seen.current.index, seen.current.player.playing]).toEqual([3, false]);
    act(() => seen.current.player.toggle());
    expect([seen.current.index, seen.current.player.playing]).toEqual([0, true]);
  });

  it('is faster and slower', () => {
    const seen = shown(100, 0);
    act(() => seen.current.player.toggle());
    act(() => seen.current.player.setSpeed(4));
    wait(2000);
    expect(seen.current.index).toBe(8);
    act(() => seen.current.player.setSpeed(0.5));
    wait(4000);
    expect(seen.current.index).toBe(10);
  });

  it('stops when the reader selects something else, and waits behind a dialog', () => {
    const seen = shown(100, 0);
    act(() => seen.current.player.toggle());
    wait(1000);
    const dialog = document.body.appendChild(document.createElement('div'));
    dialog.setAttribute('role', 'dialog');
    wait(5000);
    expect(seen.current.index).toBe(1);
    dialog.remove();
    wait(1000);
    expect(seen.current.index).toBe(2);
    act(() => seen.current.setIndex(50));
    expect(seen.current.player.playing).toBe(false);
    wait(3000);
    expect(seen.current.index).toBe(50);
  });

  it('has nothing to play with one checkpoint', () => {
    const seen = shown(1, 0);
    act(() => seen.current.player.toggle());
    expect(seen.current.player.playing).toBe(false);
  });
});

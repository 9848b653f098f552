/** Playing a history through: the selection steps on by itself, nothing else moves. */
import { useEffect, useRef, useState } from 'react';

export const SPEEDS = [0.5, 1, 2, 4] as const;
export type Speed = (typeof SPEEDS)[number];

/** At 1×. */
const STEP_MS = 1000;

interface Played {
  /** The selected place, -1 for none. */
  readonly index: number;
  readonly count: number;
  readonly go: (index: number) => void;
}

export interface Player {
  readonly playing: boolean;
  readonly speed: Speed;
  readonly setSpeed: (speed: Speed) => void;
  /** From the end it begins anew. */
  readonly toggle: () => void;
}

/** Stops at the end, when the reader selects something else, and waits while a dialog is open. */
export function usePlayer({ index, count, go }: Played): Player {
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  const expected = useRef(index);
  const latest = useRef({ index, count, go });
  latest.current = { index, count, go };
  const seen = useRef(index);
  useEffect(() => {
    if (index === seen.current) return;
    seen.current = index;
    if (index !== expected.current) setPlaying(false);
  }, [index]);
  useEffect(() => {
    if (!playing) return undefined;
    const timer = setInterval(() => {
      if (document.querySelector('[role="dialog"]') !== null) return;
      const { index: here, count: all, go: to } = latest.current;
      // What was asked for is not there yet: no step is left out.
      if (here !== expected.current) return;
      if (here < all - 1) {
        expected.current = here + 1;
        to(here + 1);
      }
      if (here + 1 >= all - 1) setPlaying(false);
    }, STEP_MS / speed);
    return () => clearInterval(timer);
  }, [playing, speed]);
  const toggle = (): void => {
    if (playing) return setPlaying(false);
    if (count < 2) return;
    const start = index >= count - 1 ? 0 : index;
    expected.current = start;
    if (start !== index) go(start);
    setPlaying(true);
  };
  return { playing, speed, setSpeed, toggle };
}

import { useRef, useState, type PointerEvent } from 'react';
import { indexAt } from './model.ts';

interface DragOptions {
  readonly count: number;
  /** How far along the line a place is, 0 to 1. */
  readonly along: (x: number) => number;
  readonly onSelect: (index: number) => void;
  readonly onRange: (first: number, last: number) => void;
}

/** Less is a press with an unsteady hand. */
const DRAG_PX = 5;

/** A press selects; drawing along the line marks a range, which counts when it is let go. */
export function useDrag({ count, along, onSelect, onRange }: DragOptions) {
  const start = useRef<{ readonly x: number; readonly index: number }>(undefined);
  const [range, setRange] = useState<readonly [from: number, to: number]>();
  const indexOf = ({ clientX, currentTarget }: PointerEvent<HTMLElement>): number =>
    indexAt(along(clientX - currentTarget.getBoundingClientRect().left), count);
  const cancel = (): void => {
    start.current = undefined;
    setRange(undefined);
  };
  const handlers = {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      start.current = { x: event.clientX, index: indexOf(event) };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (!start.current) return;
      const isDrag = range !== undefined || Math.abs(event.clientX - start.current.x) >= DRAG_PX;
      if (isDrag) setRange([start.current.index, indexOf(event)]);
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      if (!start.current) return;
      const [from, to] = [start.current.index, indexOf(event)];
      const isRange = range !== undefined && from !== to;
      cancel();
      if (isRange) onRange(from, to);
      else onSelect(to);
    },
  };
  return { range, indexOf, cancel, handlers };
}

import { type ReactNode, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';

interface FixedListProps<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  /** Height of a row in px. */
  readonly heightOf: (item: T) => number;
  readonly render: (item: T) => ReactNode;
  readonly label: string;
  /** The active row is brought into view. -1: none. */
  readonly active: number;
  /** False for group heads, which assistive tools do not count. */
  readonly isRow: (item: T) => boolean;
  readonly testId: string;
}

/** Rows drawn above and below those in view. */
const MORE = 8;
/** Before the window is measured. */
const FIRST_HEIGHT = 900;

/**
 * A plain list that draws only the rows in view, for rows whose height is known and that hold links of their own. The
 * first screen is drawn with it: what `VirtualList` can do beyond that takes more code than the rest of the list.
 */
export function FixedList<T>({ items, keyOf, heightOf, render, label, active, isRow, testId }: FixedListProps<T>) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: FIRST_HEIGHT });
  const heights = items.map(heightOf).join(' ');
  // Equal heights give the same places, whichever rows they are of.
  const starts = useMemo(() => startsOf(heights), [heights]);
  useLayoutEffect(() => {
    const list = scroller.current;
    if (list === null) return undefined;
    const look = (): void =>
      setView((before) => {
        const next = { top: list.scrollTop, height: list.clientHeight || FIRST_HEIGHT };
        return before.top === next.top && before.height === next.height ? before : next;
      });
    look();
    const observer = new ResizeObserver(look);
    observer.observe(list);
    list.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      list.removeEventListener('scroll', look);
    };
  }, []);

  const places = useRef(starts);
  places.current = starts;
  useEffect(() => {
    const list = scroller.current;
    const [top, end] = [places.current[active], places.current[active + 1]];
    if (list === null || top === undefined || end === undefined) return;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (end > list.scrollTop + list.clientHeight) list.scrollTop = end - list.clientHeight;
    // Only a new selection scrolls; new rows must not pull the list.
  }, [active]);

  const first = Math.max(0, rowAt(starts, view.top) - MORE);
  const last = Math.min(items.length, rowAt(starts, view.top + view.height) + 1 + MORE);
  return (
    <div ref={scroller} className="virtual" role="list" aria-label={label} data-testid={testId}>
      <div className="virtual-space" role="presentation" style={{ height: starts.at(-1) ?? 0 }}>
        {items.slice(first, last).map((item, offset) => {
          const index = first + offset;
          const [top = 0, end = top] = [starts[index], starts[index + 1]];
          return (
            <div
              key={keyOf(item)}
              id={`${id}-${index}`}
              data-index={index}
              className="virtual-row"
              style={{ transform: `translateY(${top}px)`, height: end - top }}
              {...(isRow(item)
                ? { role: 'listitem', 'aria-posinset': index + 1, 'aria-setsize': items.length }
                : { role: 'presentation' })}
            >
              {render(item)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Where each row begins, and after the last where it ends. */
function startsOf(heights: string): readonly number[] {
  const starts = [0];
  if (heights === '') return starts;
  for (const height of heights.split(' ')) starts.push((starts.at(-1) ?? 0) + Number(height));
  return starts;
}

/** The last row that begins at or above a height. @example rowAt([0, 28, 74], 30) // 1 */
export function rowAt(starts: readonly number[], top: number): number {
  let [low, high] = [0, Math.max(0, starts.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= top) low = middle;
    else high = middle - 1;
  }
  return low;
}

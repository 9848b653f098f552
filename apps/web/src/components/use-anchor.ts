import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from 'react';

interface Place {
  readonly key: string;
  readonly top: number;
}

/**
 * Keeps a row where the reader sees it while others are put in above: the list scrolls by as much, and is made
 * longer where it is too short for that. `above` counts the pixels that were put in and not looked at yet.
 */
export function useAnchor(scroller: RefObject<HTMLElement | null>, row: Place | undefined) {
  const space = useRef<HTMLDivElement>(null);
  const before = useRef<Place>(undefined);
  const [above, setAbove] = useState(0);
  const [key, top] = [row?.key, row?.top];

  useLayoutEffect(() => {
    const last = before.current;
    before.current = key === undefined || top === undefined ? undefined : { key, top };
    const list = scroller.current;
    if (!list || !space.current || last === undefined || top === undefined || last.key !== key) return;
    const shift = top - last.top;
    if (shift <= 0) return;
    space.current.style.minHeight = `${list.scrollTop + shift + list.clientHeight}px`;
    list.scrollTop += shift;
    setAbove((pixels) => pixels + shift);
  }, [key, top, scroller]);

  /** Takes back what is no longer needed of the added length. */
  const onScroll = useCallback(() => {
    const list = scroller.current;
    if (!list || !space.current) return;
    const needed = list.scrollTop + list.clientHeight;
    if (Number.parseFloat(space.current.style.minHeight || '0') > needed) space.current.style.minHeight = `${needed}px`;
    setAbove((pixels) => Math.min(pixels, list.scrollTop));
  }, [scroller]);

  return { space, above, onScroll };
}

import { useLayoutEffect, useState, type RefObject } from 'react';
import type { Size } from './geometry.ts';

/** Size of an element in CSS pixels; `undefined` until it is laid out. */
export function usePaneSize(element: RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    const pane = element.current;
    if (pane === null) return undefined;
    const read = (): void => {
      const { clientWidth: width, clientHeight: height } = pane;
      if (width > 0 && height > 0)
        setSize((before) => (before?.width === width && before.height === height ? before : { width, height }));
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(pane);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

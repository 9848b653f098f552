import { useEffect, useRef, useState } from 'react';

/** The width of an element in px, followed as it changes; 0 before it is known. */
export function useWidth<E extends HTMLElement>() {
  const box = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width] as const;
}

import { useEffect, useRef } from 'react';

/** A ring around the pointer, so that the last row of the room sees where it is. */
export function PointerHalo() {
  const halo = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const follow = ({ clientX, clientY, pointerType }: PointerEvent): void => {
      const { current } = halo;
      if (current === null) return;
      current.hidden = pointerType !== 'mouse';
      current.style.transform = `translate(${clientX}px, ${clientY}px)`;
    };
    const hide = (): void => {
      if (halo.current) halo.current.hidden = true;
    };
    window.addEventListener('pointermove', follow);
    document.addEventListener('mouseleave', hide);
    return () => {
      window.removeEventListener('pointermove', follow);
      document.removeEventListener('mouseleave', hide);
    };
  }, []);
  return <div ref={halo} className="pointer-halo" aria-hidden="true" hidden />;
}

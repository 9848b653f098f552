import clsx from 'clsx';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

interface ClampedProps {
  readonly className?: string | undefined;
  readonly testId?: string;
  readonly children: ReactNode;
}

/** Text that may be long: its first lines, and a button for the rest where there is more. */
export function Clamped({ className, testId, children }: ClampedProps) {
  const text = useRef<HTMLDivElement>(null);
  const [isLong, setIsLong] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  useLayoutEffect(() => {
    const element = text.current;
    // While all of it is shown there is nothing to measure.
    if (element === null || isOpen) return undefined;
    const measure = (): void => setIsLong(element.scrollHeight > element.clientHeight + 1);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [children, isOpen]);
  return (
    <div className={className}>
      <div ref={text} className={clsx('clamped', isOpen ? 'open' : isLong && 'fading')} data-testid={testId}>
        {children}
      </div>
      {isLong && (
        <button type="button" className="link small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Show less' : 'Show all'}
        </button>
      )}
    </div>
  );
}

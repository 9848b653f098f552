import {
  cloneElement,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { useShown } from '../lib/masking.ts';
import { useSettings } from '../lib/settings.ts';

/** A key as the settings have it. Decoration beside a control that has its own name; absent while keys are off. */
export function Kbd({ children }: { readonly children: ReactNode }) {
  const { keys, remap } = useSettings();
  if (typeof children !== 'string') return <kbd aria-hidden="true">{children}</kbd>;
  const name = children === 'Del' ? 'Delete' : children;
  if (!keys && !/^(?:Ctrl|↵)/.test(name)) return null;
  return <kbd aria-hidden="true">{Object.hasOwn(remap, name) ? remap[name] : children}</kbd>;
}

type Side = 'top' | 'bottom' | 'left' | 'right';

interface Trigger {
  readonly onPointerEnter?: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerLeave?: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerDown?: (event: PointerEvent<HTMLElement>) => void;
  readonly onFocus?: (event: FocusEvent<HTMLElement>) => void;
  readonly onBlur?: (event: FocusEvent<HTMLElement>) => void;
  readonly 'aria-describedby'?: string | undefined;
}

interface TooltipProps {
  readonly text: string;
  readonly kbd?: string | undefined;
  readonly side?: Side;
  readonly children: ReactElement<Trigger>;
}

/** A pointer that passes by opens nothing; from one tooltip to the next there is no wait. */
const DELAY_MS = 350;
const NEXT_MS = 200;
/** Long enough to move the pointer onto the tooltip. */
const LEAVE_MS = 100;
let closedAt = Number.NEGATIVE_INFINITY;

/**
 * Says the name of an icon, or why a control is off, on hover and focus. Small and without a library: it is on the first
 * screen many times.
 */
export function Tooltip({ text, kbd, side = 'bottom', children }: TooltipProps) {
  const id = useId();
  const shown = useShown();
  const [trigger, setTrigger] = useState<HTMLElement>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const later = (ms: number, run: () => void): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(run, ms);
  };
  const close = (): void => {
    clearTimeout(timer.current);
    if (trigger !== undefined) closedAt = performance.now();
    setTrigger(undefined);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const { props: own } = children;
  const child = cloneElement(children, {
    'aria-describedby': trigger === undefined ? own['aria-describedby'] : id,
    onPointerEnter: (event) => {
      own.onPointerEnter?.(event);
      if (event.pointerType === 'touch') return;
      const { currentTarget } = event;
      later(performance.now() - closedAt < NEXT_MS ? 0 : DELAY_MS, () => setTrigger(currentTarget));
    },
    onPointerLeave: (event) => {
      own.onPointerLeave?.(event);
      later(LEAVE_MS, close);
    },
    onPointerDown: (event) => {
      own.onPointerDown?.(event);
      close();
    },
    onFocus: (event) => {
      own.onFocus?.(event);
      if (event.currentTarget.matches(':focus-visible')) setTrigger(event.currentTarget);
    },
    onBlur: (event) => {
      own.onBlur?.(event);
      close();
    },
  });
  return (
    <>
      {child}
      {trigger && (
        <Shown id={id} trigger={trigger} side={side} onClose={close} onStay={() => clearTimeout(timer.current)}>
          {shown(text)}
          {kbd !== undefined && <Kbd>{kbd}</Kbd>}
        </Shown>
      )}
    </>
  );
}

interface ShownProps {
  readonly id: string;
  readonly trigger: HTMLElement;
  readonly side: Side;
  readonly onClose: () => void;
  readonly onStay: () => void;
  readonly children: ReactNode;
}

function Shown({ id, trigger, side, onClose, onStay, children }: ShownProps) {
  const box = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    if (box.current) place(box.current, trigger.getBoundingClientRect(), side);
  });
  useEffect(() => {
    const leave = (event: Event): void => {
      if ('key' in event && event.key !== 'Escape') return;
      close.current();
    };
    // The trigger moves or goes away with the first, a reader puts the words away with the second.
    document.addEventListener('scroll', leave, { capture: true, passive: true });
    document.addEventListener('keydown', leave, { capture: true });
    return () => {
      document.removeEventListener('scroll', leave, { capture: true });
      document.removeEventListener('keydown', leave, { capture: true });
    };
  }, []);
  return createPortal(
    <div ref={box} id={id} role="tooltip" className="tooltip" onPointerEnter={onStay} onPointerLeave={onClose}>
      {children}
    </div>,
    document.body,
  );
}

const GAP = 6;
const EDGE = 8;

/** Beside the trigger, on the other side where there is no room, and never outside the window. */
function place(box: HTMLElement, at: DOMRect, side: Side): void {
  const { offsetWidth: width, offsetHeight: height } = box;
  const [farX, farY] = [window.innerWidth - width - EDGE, window.innerHeight - height - EDGE];
  const middle = { x: at.left + (at.width - width) / 2, y: at.top + (at.height - height) / 2 };
  const above = at.top - height - GAP;
  const below = at.bottom + GAP;
  const before = at.left - width - GAP;
  const after = at.right + GAP;
  const spots: Record<Side, readonly [x: number, y: number]> = {
    bottom: [middle.x, below > farY ? above : below],
    top: [middle.x, above < EDGE ? below : above],
    right: [after > farX ? before : after, middle.y],
    left: [before < EDGE ? after : before, middle.y],
  };
  const [x, y] = spots[side];
  box.style.left = `${Math.round(Math.max(EDGE, Math.min(x, farX)))}px`;
  box.style.top = `${Math.round(Math.max(EDGE, Math.min(y, farY)))}px`;
}

import {
  createContext,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type ReactNode,
} from 'react';

const Awaited = createContext<(change: 1 | -1) => void>(() => undefined);

/** So long something is waited for; then what is below shows, wherever that is. */
const MOST_MS = 10_000;

/** Tells the room around it that what is shown here isn't known yet. Not for what may take long. */
export function useAwaited(isAwaited: boolean): void {
  const tell = useContext(Awaited);
  useLayoutEffect(() => {
    if (!isAwaited) return undefined;
    tell(1);
    let isTold = true;
    const end = (): void => {
      if (isTold) tell(-1);
      isTold = false;
    };
    const timer = setTimeout(end, MOST_MS);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [isAwaited, tell]);
}

interface KeptRoomProps {
  readonly children: ReactNode;
  readonly below: ReactNode;
}

/**
 * What is below doesn't move under the pointer while the rest is read: at first it waits until all is known, later the
 * rest keeps the height that it had.
 * @example <KeptRoom below={<Notes />}><Value /></KeptRoom>
 */
export function KeptRoom({ children, below }: KeptRoomProps) {
  const count = useRef(0);
  const [awaited, setAwaited] = useState(1);
  const [tell] = useState(() => (change: 1 | -1): void => {
    count.current += change;
    setAwaited(count.current);
  });
  const isKnown = awaited === 0;
  const [isShown, setShown] = useState(false);
  // The children have told first: their effects run before this one.
  useLayoutEffect(() => setAwaited(count.current), []);
  useLayoutEffect(() => {
    if (isKnown) setShown(true);
  }, [isKnown]);
  const [box, height] = useLastHeight(isKnown);
  const kept: CSSProperties = isShown && !isKnown ? { height: height.current, overflow: 'hidden' } : {};
  return (
    <Awaited value={tell}>
      <div ref={box} className="kept-room" style={kept}>
        {children}
      </div>
      <div hidden={!isShown && !isKnown}>{below}</div>
    </Awaited>
  );
}

/** The height that an element had when it was last drawn while `isKnown`. */
function useLastHeight(isKnown: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const height = useRef<number>(undefined);
  useEffect(() => {
    if (!isKnown || box.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => (height.current = entry?.contentRect.height));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [isKnown]);
  return [box, height] as const;
}

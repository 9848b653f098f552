import { type Range, useVirtualizer } from '@tanstack/react-virtual';
import clsx from 'clsx';
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';

interface VirtualListProps<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T, index: number) => string;
  /** Height of a row in px, or a first guess where `measured` is set. */
  readonly heightOf: (item: T, index: number) => number;
  readonly render: (item: T, index: number) => ReactNode;
  readonly label: string;
  /** listbox: one column; rows of a tree or grid bring what else there is to say of them in `rowProps`. */
  readonly role?: keyof typeof ROW_ROLES;
  /** The active row: brought into view, named to assistive tools. -1: none. */
  readonly active?: number;
  /** Arrows, Home and End move the active row. */
  readonly onActive?: (index: number) => void;
  readonly onOpen?: (index: number) => void;
  /** A press on a row. The list has the keys; the mouse needs the row itself. */
  readonly onPress?: (item: T, index: number) => void;
  readonly onKey?: (event: KeyboardEvent<HTMLDivElement>) => void;
  readonly onEndReached?: () => void;
  readonly measured?: boolean;
  /** A plain list whose rows contain nothing to focus: the list itself can be scrolled by keys. */
  readonly scrolls?: boolean;
  /** False for what the arrows skip and assistive tools do not count, such as group heads. */
  readonly isRow?: (item: T) => boolean;
  readonly rowProps?: (item: T, index: number) => Record<string, string | number | boolean | undefined>;
  readonly className?: string;
  readonly testId?: string;
  readonly overlay?: ReactNode;
  /** A row of column heads; it is counted as the first row. */
  readonly head?: ReactNode;
  /** Rows that are drawn wherever the list is, each in a place of its own. */
  readonly pinned?: {
    readonly options: { readonly rangeExtractor: (range: Range) => number[]; readonly scrollPaddingStart: number };
    readonly styleOf: (index: number) => CSSProperties | undefined;
  };
  /** The active row stays in its place while rows are put in above; tells how many pixels of them are not seen yet. */
  readonly onAbove?: (pixels: number, toTop: () => void) => void;
}

const ROW_ROLES = { listbox: 'option', grid: 'row', treegrid: 'row', tree: 'treeitem', list: 'listitem' } as const;
const PAGE_ROWS = 10;
/** As much as the highest head of columns. */
const HEAD_HEIGHT = 36;
const allRows = (): boolean => true;

/**
 * Draws only the rows in view. The focus stays on the list and `aria-activedescendant` names the row; in a plain
 * `list` the rows hold links of their own.
 */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const {
    items,
    keyOf,
    heightOf,
    active = -1,
    role = 'listbox',
    onEndReached,
    measured = false,
    isRow = allRows,
  } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const getItemKey = useStableKeys(props);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const item = items[index];
      return item === undefined ? 28 : heightOf(item, index);
    },
    getItemKey,
    overscan: 8,
    ...props.pinned?.options,
    // The head takes room that the rows do not know of.
    scrollPaddingEnd: props.head === undefined ? 0 : HEAD_HEIGHT,
    useFlushSync: false,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;

  const { onAbove } = props;
  const activeItem = onAbove === undefined ? undefined : items[active];
  const activeKey = activeItem === undefined ? undefined : keyOf(activeItem, active);
  const activeTop = virtual.measurementsCache[active]?.start;
  const { space, above, onScroll } = useAnchor(
    scroller,
    activeKey === undefined || activeTop === undefined ? undefined : { key: activeKey, top: activeTop },
  );
  useEffect(() => onAbove?.(above, () => scroller.current?.scrollTo({ top: 0 })), [above, onAbove]);

  const place = useRef(active);
  place.current = active;
  // The same row at another place is not a new selection.
  const selected = onAbove === undefined ? active : activeKey;
  useEffect(() => {
    if (place.current >= 0) virtual.scrollToIndex(place.current, { align: 'auto' });
    // Only a new selection scrolls; new rows must not pull the list.
  }, [selected, virtual]);
  useEffect(() => {
    if (last >= items.length - 5 && items.length > 0) onEndReached?.();
  }, [last, items.length, onEndReached]);

  const onKeyDown = useListKeys(props);
  return (
    <div
      ref={scroller}
      className={clsx('virtual', props.className)}
      role={role}
      aria-label={props.label}
      onKeyDown={onKeyDown}
      onScroll={onAbove && onScroll}
      data-testid={props.testId}
      {...(role === 'list' && !props.scrolls ? {} : { tabIndex: 0 })}
      {...(props.head === undefined ? {} : { 'aria-rowcount': items.length + 1 })}
      {...(role !== 'list' && active >= 0 ? { 'aria-activedescendant': `${id}-${active}` } : {})}
    >
      {props.head}
      <div ref={space} className="virtual-space" role="presentation" style={{ height: virtual.getTotalSize() }}>
        {props.overlay}
        {rows.map(({ index, start, size, key }) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <div
              key={key}
              ref={measured ? virtual.measureElement : undefined}
              id={`${id}-${index}`}
              data-index={index}
              className="virtual-row"
              role={isRow(item) ? ROW_ROLES[role] : 'presentation'}
              {...(isRow(item) ? placeOf(index, items.length, props.head !== undefined) : {})}
              {...(role !== 'list' && isRow(item) ? { 'aria-selected': index === active } : {})}
              style={
                props.pinned?.styleOf(index) ?? {
                  transform: `translateY(${start}px)`,
                  ...(measured ? {} : { height: size }),
                }
              }
              {...props.rowProps?.(item, index)}
            >
              {props.onPress === undefined ? (
                props.render(item, index)
              ) : (
                <div role="presentation" onClick={() => props.onPress?.(item, index)}>
                  {props.render(item, index)}
                </div>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const placeOf = (index: number, count: number, hasHead: boolean): Record<string, number> =>
  hasHead ? { 'aria-rowindex': index + 2 } : { 'aria-posinset': index + 1, 'aria-setsize': count };

/** The same function for the same rows: with a new one all places are worked out again, at each step of a scroll. */
function useStableKeys<T>({ items, keyOf, heightOf }: VirtualListProps<T>): (index: number) => string | number {
  const latest = useRef(keyOf);
  latest.current = keyOf;
  const [first, last] = [items[0], items.at(-1)];
  // Rows that all become higher, as in presenter mode, are placed again.
  const heights = [first && heightOf(first, 0), last && heightOf(last, items.length - 1)].join(' ');
  return useMemo(() => keysOf(items, latest, heights), [items, heights]);
}

function keysOf<T>(
  items: readonly T[],
  latest: { readonly current: VirtualListProps<T>['keyOf'] },
  _heights: string,
): (index: number) => string | number {
  return (index) => {
    const item = items[index];
    return item === undefined ? index : latest.current(item, index);
  };
}

const SCROLL_PX = 48;

function useListKeys<T>({ items, active = -1, onActive, onOpen, onKey, isRow, scrolls }: VirtualListProps<T>) {
  return (event: KeyboardEvent<HTMLDivElement>): void => {
    onKey?.(event);
    if (
      event.defaultPrevented ||
      event.target !== event.currentTarget ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    if (scrolls && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      event.currentTarget.scrollBy(0, event.key === 'ArrowDown' ? SCROLL_PX : -SCROLL_PX);
      return;
    }
    if (event.key === 'Enter' && active >= 0) {
      event.preventDefault();
      onOpen?.(active);
      return;
    }
    const target = targetOf(event.key, active, items.length);
    if (target === undefined || !onActive) return;
    event.preventDefault();
    const step = target.toward;
    for (let index = target.index; index >= 0 && index < items.length; index += step) {
      const item = items[index];
      if (item !== undefined && (isRow?.(item) ?? true)) {
        onActive(index);
        return;
      }
    }
  };
}

/** Where a key leads, and which way to look for a row that can be active. */
function targetOf(key: string, active: number, count: number): { index: number; toward: 1 | -1 } | undefined {
  if (key === 'ArrowDown') return { index: active + 1, toward: 1 };
  if (key === 'ArrowUp') return { index: active - 1, toward: -1 };
  if (key === 'PageDown') return { index: Math.min(count - 1, active + PAGE_ROWS), toward: -1 };
  if (key === 'PageUp') return { index: Math.max(0, active - PAGE_ROWS), toward: 1 };
  if (key === 'Home') return { index: 0, toward: 1 };
  if (key === 'End') return { index: count - 1, toward: -1 };
  return undefined;
}

interface Place {
  readonly key: string;
  readonly top: number;
}

/**
 * Keeps a row where the reader sees it while others are put in above: the list scrolls by as much, and is made
 * longer where it is too short for that. `above` counts the pixels that were put in and not looked at yet.
 */
function useAnchor(scroller: RefObject<HTMLElement | null>, row: Place | undefined) {
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

  /** Removes the part of the added length that is no longer needed. */
  const onScroll = useCallback(() => {
    const list = scroller.current;
    if (!list || !space.current) return;
    const needed = list.scrollTop + list.clientHeight;
    if (Number.parseFloat(space.current.style.minHeight || '0') > needed) space.current.style.minHeight = `${needed}px`;
    setAbove((pixels) => Math.min(pixels, list.scrollTop));
  }, [scroller]);

  return { space, above, onScroll };
}

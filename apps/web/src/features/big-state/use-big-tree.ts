import {
  formatPath,
  InspectorError,
  parsePath,
  type PartChild,
  type Path,
  type ValueNote,
} from '@checkpoint-inspector/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { PAGE, pageQuery, valueQuery, type StateSeen } from './queries.ts';
import {
  closed,
  openedTo,
  rangesTo,
  rowsOf,
  slotKey,
  type BigRow,
  type OpenNode,
  type OpenNodes,
  type RangeRow,
  type SlotRow,
} from './rows.ts';

/** Containers right below the root that are open from the start. */
const SMALL = 12;

/** The row that was gone to; without a path as long as its page is not there. */
interface Focused {
  readonly key: string;
  readonly path?: string;
}

export interface KnownRow {
  readonly path: Path;
  readonly note: ValueNote;
  readonly step?: string | number;
  readonly shadowed?: true;
}

/** A path of the address, unless it is none. */
export function pathOf(text: string | undefined): Path | undefined {
  if (text === undefined) return undefined;
  try {
    return parsePath(text);
  } catch (error) {
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

export const knownChild = (parent: string, child: PartChild): KnownRow => ({
  path: [...parsePath(parent), child.step],
  note: child,
  step: child.step,
  ...(child.shadowed ? { shadowed: true } : {}),
});

/** Which containers are open, the rows that makes, and the row of the address. */
export function useBigTree(seen: StateSeen, path: string | undefined, onPath: (path: string) => void) {
  const client = useQueryClient();
  const root = useQuery(pageQuery(seen, '$', 0));
  const [opened, setOpened] = useState<OpenNodes>(new Map());
  const [ranges, setRanges] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<Focused>();
  const wish = useRef<string>(undefined);
  const wanted = pathOf(path);
  const target = useQuery({ ...valueQuery(seen, path ?? '$'), enabled: wanted !== undefined });

  useEffect(() => {
    const children = root.data?.children;
    if (children === undefined) return;
    setOpened((before) => (before.has('$') ? before : firstOpened(root.data?.count ?? 0, children)));
  }, [root.data]);

  const trail = target.data?.path === path ? target.data?.trail : undefined;
  useEffect(() => {
    const steps = pathOf(path);
    if (trail === undefined || steps === undefined) return;
    setOpened((before) =>
      steps.every((_, depth) => before.has(formatPath(steps.slice(0, depth))))
        ? before
        : openedTo(before, steps, trail),
    );
    setRanges((before) => new Set([...before, ...rangesTo(steps, trail)]));
  }, [trail, path]);

  // Another path came before the page of the row: the row is given up.
  useEffect(() => {
    wish.current = undefined;
    setFocused((before) => (before?.path === undefined ? undefined : before));
  }, [path]);

  const rows = useMemo(() => rowsOf(opened, ranges), [opened, ranges]);
  const isHere = focused !== undefined && (focused.path ?? path) === path;
  const activeKey = isHere ? focused.key : keyOfTrail(wanted, trail);
  const active = useMemo(
    () => (activeKey === undefined ? -1 : rows.findIndex((row) => row.key === activeKey)),
    [rows, activeKey],
  );

  /** What a row is, once its page is there. */
  const known = (row: SlotRow): KnownRow | undefined => {
    if (row.parent === undefined) return root.data && { path: [], note: root.data };
    const page = client.getQueryData(pageQuery(seen, row.parent, Math.floor(row.place / PAGE)).queryKey);
    const child = page?.children?.[row.place % PAGE];
    return child && knownChild(row.parent, child);
  };
  const focusOn = (key: string, found: KnownRow | undefined): void => {
    if (found === undefined || found.shadowed) return;
    const text = formatPath(found.path);
    setFocused({ key, path: text });
    onPath(text);
  };
  /** Moves at once; the path follows when the page of the row is there. */
  const focus = (row: BigRow): void => {
    if (row.kind === 'range') return;
    wish.current = row.key;
    const found = known(row);
    if (found !== undefined || row.parent === undefined) return focusOn(row.key, found);
    setFocused({ key: row.key });
    const { parent, place } = row;
    void client.fetchQuery(pageQuery(seen, parent, Math.floor(place / PAGE))).then(
      (page) => {
        const child = page.children?.[place % PAGE];
        if (wish.current === row.key && child) focusOn(row.key, knownChild(parent, child));
      },
      // The row itself says why it could not be read.
      () => undefined,
    );
  };
  const toggle = (row: BigRow): void => {
    if (row.kind === 'range') return setRanges((before) => toggled(before, row));
    const found = known(row);
    if (!found?.note.count || found.shadowed) return;
    const text = formatPath(found.path);
    if (row.open) return setOpened((before) => closed(before, text));
    void client.prefetchQuery(pageQuery(seen, text, 0));
    const { count } = found.note;
    const parent = row.parent === undefined ? {} : { parent: row.parent };
    return setOpened((before) => new Map(before).set(text, { path: found.path, count, place: row.place, ...parent }));
  };
  return { root, target, rows, active, known, focus, toggle };
}

export type BigTree = ReturnType<typeof useBigTree>;

function firstOpened(count: number, children: readonly PartChild[]): OpenNodes {
  const opened = new Map<string, OpenNode>([['$', { path: [], count, place: 0 }]]);
  for (const child of children) {
    if (!child.count || child.count > SMALL || child.shadowed) continue;
    const { step, count: own, place } = child;
    opened.set(formatPath([step]), { path: [step], count: own, parent: '$', place });
  }
  return opened;
}

function toggled(ranges: ReadonlySet<string>, { key, open }: RangeRow): ReadonlySet<string> {
  const next = new Set(ranges);
  if (open) next.delete(key);
  else next.add(key);
  return next;
}

function keyOfTrail(
  path: Path | undefined,
  trail: readonly { readonly place: number }[] | undefined,
): string | undefined {
  if (path === undefined || trail === undefined) return undefined;
  const last = trail.at(-1);
  return last === undefined ? '$' : slotKey(formatPath(path.slice(0, -1)), last.place);
}

import { formatPath, type Part, type PartChild, type Path } from '@checkpoint-inspector/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { toggled } from '../../lib/hooks.ts';
import {
  canOpen,
  closed,
  firstOpened,
  knownChild,
  type KnownRow,
  openedChild,
  openedTo,
  type OpenNode,
  type OpenNodes,
  rangesTo,
  reopened,
  rowsOf,
  slotKey,
  type SlotRow,
  type TreeRow,
} from './rows.ts';
import { PAGE, pageNow, pageQuery, partNow, type PartSource, pathOf, valueQuery } from './source.ts';
import { type Level, nextLevel, useLevelKeys } from './levels.ts';

interface Open {
  readonly source: PartSource;
  readonly nodes: OpenNodes;
}

/** The row that was gone to; without a path until its page has come. */
interface Focused {
  readonly source: PartSource;
  readonly key: string;
  readonly path?: string;
}

const NOTHING: OpenNodes = new Map();

/** Which containers are open, the rows that makes, and the row of the path. */
export function useValueTree(source: PartSource, path: string | undefined, onPath: (path: string) => void) {
  const client = useQueryClient();
  const root = useQuery(pageQuery(source, '$', 0));
  const wanted = useMemo(() => pathOf(path), [path]);
  const target = useQuery({ ...valueQuery(source, path ?? '$'), enabled: wanted !== undefined });
  const trail = target.data?.path === path ? target.data?.trail : undefined;
  const { nodes, change, ranges, setRanges } = useOpened(source, root.data);
  useEffect(() => {
    const steps = pathOf(path);
    if (trail === undefined || steps === undefined) return;
    change((before) =>
      steps.every((_, depth) => before.has(formatPath(steps.slice(0, depth))))
        ? before
        : openedTo(before, steps, trail),
    );
    setRanges((before) => new Set([...before, ...rangesTo(steps, trail)]));
  }, [trail, path, change, setRanges]);

  const pageOf = (parent: string, place: number): Part | undefined => {
    const page = Math.floor(place / PAGE);
    return pageNow(source, parent, page) ?? client.getQueryData(pageQuery(source, parent, page).queryKey);
  };
  const known = (row: SlotRow): KnownRow | undefined => {
    if (row.parent === undefined) return root.data && { path: [], note: root.data };
    const child = pageOf(row.parent, row.place)?.children?.[row.place % PAGE];
    return child && knownChild(row.parent, child);
  };
  const rows = useMemo(() => rowsOf(nodes, ranges), [nodes, ranges]);
  const { focused, focus } = useFocusedRow(source, path, onPath, known);
  const activeKey = focused ?? keyOfTrail(wanted, trail);
  const active = useMemo(
    () => (activeKey === undefined ? -1 : rows.findIndex((row) => row.key === activeKey)),
    [rows, activeKey],
  );

  const toggle = (row: TreeRow): void => {
    if (row.kind === 'range') return setRanges((before) => toggled(before, row.key));
    const found = known(row);
    if (!found?.note.count || found.shadowed) return;
    const text = formatPath(found.path);
    if (row.open) return change((before) => closed(before, text));
    if (!source.now) void client.prefetchQuery(pageQuery(source, text, 0));
    const parent = row.parent === undefined ? {} : { parent: row.parent };
    const node: OpenNode = { path: found.path, count: found.note.count, place: row.place, ...parent };
    return change((before) => new Map(before).set(text, node));
  };
  useLevelKeys(
    () => levelsOf(nodes, pageOf),
    rows[active]?.parent,
    (levels) => change((before) => withLevels(before, levels)),
  );
  const openAll = (): void => change((before) => allOpened(before, pageOf));
  const closeAll = (): void => change((before) => new Map([...before].filter(([name]) => name === '$')));
  return { source, root, target, rows, active, known, focus, toggle, openAll, closeAll };
}

export type ValueTreeState = ReturnType<typeof useValueTree>;

/** What is open goes over to the next text: an edit, or a save under the same id. */
function useOpened(source: PartSource, root: Part | undefined) {
  const [open, setOpen] = useState<Open>();
  const [ranges, setRanges] = useState<ReadonlySet<string>>(new Set());
  const first = useMemo(() => (root === undefined ? NOTHING : firstOpened(root)), [root]);
  const nodesOf = useCallback(
    (held: Open | undefined): OpenNodes => {
      if (held === undefined) return first;
      if (held.source === source || !source.now) return held.nodes;
      return reopened(held.nodes, (path) => partNow(source, { path, depth: 0 }));
    },
    [source, first],
  );
  const nodes = useMemo(() => nodesOf(open), [nodesOf, open]);
  const change = useCallback(
    (make: (before: OpenNodes) => OpenNodes): void => setOpen((before) => ({ source, nodes: make(nodesOf(before)) })),
    [source, nodesOf],
  );
  return { nodes, change, ranges, setRanges };
}

/** The row that was gone to last, for as long as the path is its own. */
function useFocusedRow(
  source: PartSource,
  path: string | undefined,
  onPath: (path: string) => void,
  known: (row: SlotRow) => KnownRow | undefined,
) {
  const client = useQueryClient();
  const [focused, setFocused] = useState<Focused>();
  const wish = useRef<string>(undefined);
  // Another path came before the page of the row: the row is no longer wanted.
  useEffect(() => {
    wish.current = undefined;
    setFocused((before) => (before?.path === undefined ? undefined : before));
  }, [path]);
  const focusOn = (key: string, found: KnownRow | undefined): void => {
    if (found === undefined || found.shadowed) return;
    const text = formatPath(found.path);
    setFocused({ source, key, path: text });
    onPath(text);
  };
  /** Moves at once; the path follows when the page of the row is there. */
  const focus = (row: TreeRow): void => {
    if (row.kind === 'range') return;
    wish.current = row.key;
    const found = known(row);
    if (found !== undefined || row.parent === undefined) return focusOn(row.key, found);
    setFocused({ source, key: row.key });
    const { parent, place } = row;
    void client.fetchQuery(pageQuery(source, parent, Math.floor(place / PAGE))).then(
      (page) => {
        const child = page.children?.[place % PAGE];
        if (wish.current === row.key && child) focusOn(row.key, knownChild(parent, child));
      },
      // The row itself says why it could not be read.
      () => undefined,
    );
  };
  const isHere = focused?.source === source && (focused.path ?? path) === path;
  return { focused: isHere ? focused.key : undefined, focus };
}

function keyOfTrail(
  path: Path | undefined,
  trail: readonly { readonly place: number }[] | undefined,
): string | undefined {
  if (path === undefined || trail === undefined) return undefined;
  const last = trail.at(-1);
  return last === undefined ? '$' : slotKey(formatPath(path.slice(0, -1)), last.place);
}

/** More than this at once would make a list that nobody reads and that takes long to draw. */
const AT_ONCE = 2000;
const LOOKED_AT = 200_000;

interface ContainerLevel extends Level {
  readonly child?: PartChild;
}

/** The containers that can be opened or closed; of a large state those on pages that were read. The root stays open. */
export function levelsOf(
  nodes: OpenNodes,
  pageOf: (parent: string, place: number) => Part | undefined,
): ContainerLevel[] {
  const levels: ContainerLevel[] = [];
  let looked = 0;
  for (const [name, { path, count, parent }] of nodes) {
    if (parent !== undefined) levels.push({ name, open: true, depth: path.length, beside: parent });
    for (let place = 0; place < count && looked < LOOKED_AT; place += PAGE, looked += PAGE) {
      for (const child of pageOf(name, place)?.children ?? []) {
        const own = formatPath([...path, child.step]);
        if (canOpen(child) && !nodes.has(own))
          levels.push({ name: own, open: false, depth: path.length + 1, beside: name, child });
      }
    }
  }
  return levels;
}

/** Everything that is here opened, level by level, up to as many as are drawn without a wait. */
export function allOpened(nodes: OpenNodes, pageOf: (parent: string, place: number) => Part | undefined): OpenNodes {
  let opened = nodes;
  while (opened.size < AT_ONCE) {
    const more = nextLevel(levelsOf(opened, pageOf));
    if (more.length === 0) return opened;
    opened = withLevels(opened, more);
  }
  return opened;
}

/** Closes what is open of these, and opens the others. */
export function withLevels(nodes: OpenNodes, levels: readonly ContainerLevel[]): OpenNodes {
  const next = new Map(nodes);
  for (const { name, child, beside } of levels.slice(0, AT_ONCE)) {
    if (child) next.set(...openedChild(beside, child));
    else next.delete(name);
  }
  return next;
}

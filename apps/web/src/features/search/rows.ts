import type { SearchItem } from '../../lib/wire.ts';

export type ResultRow =
  | {
      readonly kind: 'task';
      readonly key: string;
      readonly store: string;
      readonly task: string;
      readonly count: number;
    }
  | { readonly kind: 'hit'; readonly key: string; readonly item: SearchItem }
  | { readonly kind: 'more'; readonly key: string; readonly group: string; readonly hidden: number };

/** A task shows so many results until it is asked for all. */
export const SHOWN_PER_TASK = 8;

export const groupOf = ({ store, ref }: SearchItem): string => JSON.stringify([store, ref.task]);

/** Results under their tasks, in the order they came. @example resultRows(items, new Set()) */
export function resultRows(items: readonly SearchItem[], unfolded: ReadonlySet<string>): ResultRow[] {
  const groups = new Map<string, SearchItem[]>();
  for (const item of items) {
    const group = groups.get(groupOf(item));
    if (group === undefined) groups.set(groupOf(item), [item]);
    else group.push(item);
  }
  return [...groups].flatMap(([group, found]) => rowsOf(group, found, unfolded.has(group)));
}

function rowsOf(group: string, found: readonly SearchItem[], all: boolean): ResultRow[] {
  const [first] = found;
  if (first === undefined) return [];
  // A single one is shown rather than the line that says it is hidden.
  const shown = all || found.length <= SHOWN_PER_TASK + 1 ? found : found.slice(0, SHOWN_PER_TASK);
  const rows: ResultRow[] = [
    { kind: 'task', key: `task ${group}`, store: first.store, task: first.ref.task, count: found.length },
    ...shown.map((item): ResultRow => ({ kind: 'hit', key: keyOf(item), item })),
  ];
  const hidden = found.length - shown.length;
  return hidden === 0 ? rows : [...rows, { kind: 'more', key: `more ${group}`, group, hidden }];
}

function keyOf({ store, in: where, path, snippet, firstSeen, lastSeen }: SearchItem): string {
  const ends = [firstSeen.ref, lastSeen.ref].map(({ namespace, id }) => [namespace ?? '', id]);
  return JSON.stringify([store, lastSeen.ref.task, where, path ?? null, snippet?.text ?? null, ends]);
}

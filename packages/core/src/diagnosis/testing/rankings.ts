import { diffJson } from '../../diff/index.ts';
import { fromJsonText, parsePath, formatPath, type Path } from '../../json/index.ts';
import type { CaseStep, RunCase } from './types.ts';

/** One change of one value on the branch of the head; an added section counts once for every value in it. */
export interface Change {
  readonly id: string;
  /** Place of its checkpoint on the branch. */
  readonly at: number;
  readonly path: string;
  readonly steps: Path;
  /** What the entry around it is called. */
  readonly name: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Picks the one change that it blames. */
export type Ranking = (changes: readonly Change[], run: RunCase) => Change | undefined;

/** The checkpoints from the first one to the head. */
export function branchOf({ steps, head }: RunCase): CaseStep[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const branch: CaseStep[] = [];
  for (let step = byId.get(head); step; step = step.parent === undefined ? undefined : byId.get(step.parent)) {
    branch.unshift(step);
  }
  return branch;
}

/** How many rows the diffs along the branch have. */
export function rowsOf(run: RunCase): number {
  const branch = branchOf(run);
  return branch.slice(1).reduce((sum, step, nth) => sum + diffJson(branch[nth]?.text ?? '', step.text).items.length, 0);
}

export function changesOf(run: RunCase): Change[] {
  const branch = branchOf(run);
  return branch.slice(1).flatMap((step, nth) => {
    const { items } = diffJson(branch[nth]?.text ?? '', step.text);
    const state = fromJsonText(step.text);
    return items.flatMap(({ path, kind, before, after }) => {
      if (kind === 'moved') return [];
      const steps = parsePath(path);
      const old = before === undefined ? undefined : fromJsonText(before);
      const now = after === undefined ? undefined : fromJsonText(after);
      const below = kind === 'added' ? leavesBelow(now) : [{ steps: [], value: now }];
      return below.map((leaf) => ({
        id: step.id,
        at: nth + 1,
        path: formatPath([...steps, ...leaf.steps]),
        steps: [...steps, ...leaf.steps],
        name: nameIn(state, [...steps, ...leaf.steps]),
        ...(before === undefined ? {} : { before: old }),
        ...(after === undefined ? {} : { after: leaf.value }),
      }));
    });
  });
}

/** The first text of the innermost entry of a list on the way. */
function nameIn(state: unknown, steps: Path): string {
  let value = state;
  let name = '';
  for (const step of steps) {
    value =
      typeof value === 'object' && value !== null
        ? Object.entries(value).find(([key]) => key === String(step))?.[1]
        : undefined;
    if (typeof step !== 'number' || typeof value !== 'object' || value === null) continue;
    const [first] = Object.values(value);
    name = typeof first === 'string' && first.length < 30 ? first : '';
  }
  return name;
}

function leavesBelow(value: unknown, steps: Path = []): { steps: Path; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ steps, value }];
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item: unknown, nth) => [nth, item])
    : Object.entries(value);
  return members.length === 0
    ? [{ steps, value }]
    : members.flatMap(([key, item]) => leavesBelow(item, [...steps, key]));
}

const lastChange: Ranking = (changes) => changes.at(-1);

const busiest: Ranking = (changes) => {
  const counts = countBy(changes, ({ at }) => String(at));
  return best(changes, ({ at }) => counts.get(String(at)) ?? 0);
};

const largestJump: Ranking = (changes) =>
  best(changes, ({ before, after }) => {
    if (typeof before !== 'number' || typeof after !== 'number' || before * after === 0) return undefined;
    return Math.abs(Math.log(Math.abs(after / before)));
  });

const rarestPath: Ranking = (changes) => {
  const counts = countBy(changes, ({ path }) => path);
  return best(changes, ({ path }) => -(counts.get(path) ?? 0));
};

/** Steps of the path that the error names with all their words, the rare ones first; the newest of several. */
const errorWords: Ranking = (changes, run) => {
  const words = new Set(wordsOf(errorOf(run)));
  const all = changes.map((change) => ({ change, parts: partsOf(change) }));
  const counts = countBy(
    all.flatMap(({ parts }) => parts),
    (part) => part,
  );
  const found = best(all.toReversed(), ({ parts }) => {
    const named = parts.filter((part) => part.split(' ').every((word) => words.has(word)));
    return named.reduce((sum, part) => sum + Math.log(1 + all.length / (counts.get(part) ?? 1)), 0) || undefined;
  });
  return found?.change;
};

export const RANKINGS: Readonly<Record<string, Ranking>> = {
  'last change': lastChange,
  'busiest checkpoint': busiest,
  'largest jump': largestJump,
  'rarest path': rarestPath,
  'words of the error': errorWords,
};

/** What the last step tells: its error, else the texts of the sections that it added. */
export function errorOf(run: RunCase): string {
  const branch = branchOf(run);
  const [before, head] = branch.slice(-2);
  if (head?.error !== undefined || !head || !before) return head?.error ?? '';
  const texts = diffJson(before.text, head.text).items.flatMap(({ kind, path, after }) =>
    kind === 'added' && parsePath(path).length === 1 && after !== undefined ? leavesBelow(fromJsonText(after)) : [],
  );
  return texts.map(({ value }) => (typeof value === 'string' ? value : '')).join(' ');
}

/** The steps of a path as words, and the entry's own name. */
const partsOf = ({ steps, name }: Change): string[] =>
  [...new Set([...steps, name].map((part) => wordsOf(String(part)).join(' ')))].filter((part) => part !== '');

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/** The first of those with the highest score. */
function best<T>(items: readonly T[], score: (item: T) => number | undefined): T | undefined {
  let found: { readonly item: T; readonly value: number } | undefined;
  for (const item of items) {
    const value = score(item);
    if (value !== undefined && (!found || value > found.value)) found = { item, value };
  }
  return found?.item;
}

/** What each address may hold. Broken values are dropped, never an error page. */
import { aText, fields, listOf, oneOf, type Read } from './read.ts';

const text = aText;
/** One value is a list of one. */
const list: Read<string[]> = (value) => (typeof value === 'string' ? [value] : listOf(aText)(value));

const diffAs = oneOf('ranked', 'list', 'tree', 'split');

/** `1` lists archived tasks too. */
const archived = oneOf('1');

export const SORTS = ['failed', 'newest', 'name', 'size', 'checkpoints'] as const;
export type Sort = (typeof SORTS)[number];

export const tasksSearch = fields({
  status: list,
  store: list,
  problem: oneOf('unreadable'),
  archived,
  sort: oneOf(...SORTS),
  q: text,
});
export type TasksSearch = ReturnType<typeof tasksSearch>;

/** In the order of the tabs; chat and plan are there where the state has them. */
export const VIEWS = ['changes', 'state', 'chat', 'plan', 'raw', 'meta'] as const;
export type View = (typeof VIEWS)[number];

export const workbenchSearch = fields({
  /** The checkpoint; absent: the latest. */
  cp: text,
  ns: text,
  /** What it is compared with; absent: its parent. */
  base: text,
  basens: text,
  basetask: text,
  /** Of a failed checkpoint: everything since the last good one, or its own step; absent: as soon as it is known, the first. */
  since: oneOf('good', 'step'),
  view: oneOf(...VIEWS),
  /** The focused path, as `$.a[0]`. */
  path: text,
  /** `0` shows the equal values as well. */
  only: oneOf('0', '1'),
  /** How the changes are shown; absent: ranked. */
  as: diffAs,
  /** Ignore rules of the diff; absent: the store's own; one empty value: none. */
  rules: list,
  /** `1`: the selection stays on the latest. */
  follow: oneOf('1'),
  /** Which pane is shown where there is room for one. */
  pane: oneOf('tasks', 'history', 'content', 'inspector'),
  archived,
});
export type WorkbenchSearch = ReturnType<typeof workbenchSearch>;

/** `proposal`: begins with what that one would change. */
export const editSearch = fields({ cp: text, ns: text, path: text, mode: oneOf('tree', 'text'), proposal: text });

export const treeSearch = fields({ focus: text, expand: list });
export type TreeSearch = ReturnType<typeof treeSearch>;

export const errorsSearch = fields({ group: text });

/** `/search`: what is searched for. */
export const searchSearch = fields({ q: text });

export const compareSearch = fields({
  a: text,
  b: text,
  path: text,
  rules: list,
  /** `0` shows the equal values as well. */
  only: oneOf('0', '1'),
  /** How the changes are shown; absent: side by side. */
  as: diffAs,
});
/** `/compare/runs`: the two runs; `same=1` shows the equal steps as well. */
export const runsSearch = fields({ a: text, b: text, same: oneOf('1') });
export type RunsSearch = ReturnType<typeof runsSearch>;

export type CompareSearch = ReturnType<typeof compareSearch>;

/** The ignore rules of an address, as the diff takes them. */
export function rulesOf(rules: readonly string[] | undefined): readonly string[] | undefined {
  return rules?.filter((rule) => rule !== '');
}

// Search params as plain text, so that links read well and an id like `12` stays text. Repeated keys are lists.

type SearchValues = Record<string, string | string[]>;

/** @example parseSearch('?cp=a&rules=x&rules=y') // { cp: 'a', rules: ['x', 'y'] } */
export function parseSearch(text: string): SearchValues {
  const values: SearchValues = {};
  for (const [key, value] of new URLSearchParams(text)) {
    if (key === '__proto__') continue;
    const before = Object.hasOwn(values, key) ? values[key] : undefined;
    values[key] = before === undefined ? value : [before, value].flat();
  }
  return values;
}

/** @example stringifySearch({ cp: 'a', base: undefined }) // '?cp=a' */
export function stringifySearch(values: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item === 'string' || typeof item === 'number') params.append(key, String(item));
    }
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

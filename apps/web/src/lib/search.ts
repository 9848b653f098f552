/** What each address may hold. Broken values are dropped, never an error page. */
import * as z from 'zod/mini';

/** Absent where it is missing or broken. */
const orNothing = <T extends z.ZodMiniType>(schema: T) => z.catch(z.optional(schema), undefined);

const text = orNothing(z.string());
const one = z.pipe(
  z.string(),
  z.transform((value) => [value]),
);
const list = orNothing(z.union([z.array(z.string()), one]));

const diffAs = orNothing(z.enum(['ranked', 'list', 'tree', 'split']));

/** `1` lists archived tasks too. */
const archived = orNothing(z.literal('1'));

export const SORTS = ['failed', 'newest', 'name', 'size', 'checkpoints'] as const;
export type Sort = (typeof SORTS)[number];

export const tasksSearch = z.object({
  status: list,
  store: list,
  problem: orNothing(z.literal('unreadable')),
  archived,
  sort: orNothing(z.enum(SORTS)),
  q: text,
});
export type TasksSearch = z.infer<typeof tasksSearch>;

/** In the order of the tabs; chat and plan are there where the state has them. */
export const VIEWS = ['changes', 'state', 'chat', 'plan', 'raw', 'meta'] as const;
export type View = (typeof VIEWS)[number];

export const workbenchSearch = z.object({
  /** The checkpoint; absent: the latest. */
  cp: text,
  ns: text,
  /** What it is compared with; absent: its parent. */
  base: text,
  basens: text,
  basetask: text,
  view: orNothing(z.enum(VIEWS)),
  /** The focused path, as `$.a[0]`. */
  path: text,
  /** `0` shows the equal values as well. */
  only: orNothing(z.enum(['0', '1'])),
  /** How the changes are shown; absent: ranked. */
  as: diffAs,
  /** Ignore rules of the diff; absent: the store's own; one empty value: none. */
  rules: list,
  /** `1`: the selection stays on the latest. */
  follow: orNothing(z.literal('1')),
  /** Which pane is shown where there is room for one. */
  pane: orNothing(z.enum(['tasks', 'history', 'content', 'inspector'])),
  archived,
});
export type WorkbenchSearch = z.infer<typeof workbenchSearch>;

export const editSearch = z.object({ cp: text, ns: text, path: text, mode: orNothing(z.enum(['tree', 'text'])) });

export const treeSearch = z.object({ focus: text, expand: list });

export const errorsSearch = z.object({ group: text });

/** `/search`: what is searched for. */
export const searchSearch = z.object({ q: text });

export const compareSearch = z.object({
  a: text,
  b: text,
  path: text,
  rules: list,
  /** `0` shows the equal values as well. */
  only: orNothing(z.enum(['0', '1'])),
  /** How the changes are shown; absent: side by side. */
  as: diffAs,
});
export type CompareSearch = z.infer<typeof compareSearch>;

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

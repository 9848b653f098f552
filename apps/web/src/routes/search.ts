/** What each address may hold. Broken values are dropped, never an error page. */
import { z } from 'zod';

const text = z.string().optional().catch(undefined);
const list = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z.array(z.string()).optional().catch(undefined),
);

export const SORTS = ['failed', 'newest', 'name', 'size', 'checkpoints'] as const;
export type Sort = (typeof SORTS)[number];

export const tasksSearch = z.object({
  status: list,
  store: list,
  problem: z.literal('unreadable').optional().catch(undefined),
  sort: z.enum(SORTS).optional().catch(undefined),
  q: text,
});
export type TasksSearch = z.infer<typeof tasksSearch>;

export const VIEWS = ['changes', 'state', 'raw', 'meta'] as const;
export type View = (typeof VIEWS)[number];

export const workbenchSearch = z.object({
  /** The checkpoint; absent: the latest. */
  cp: text,
  ns: text,
  /** What it is compared with; absent: its parent. */
  base: text,
  basens: text,
  basetask: text,
  view: z.enum(VIEWS).optional().catch(undefined),
  /** The focused path, as `$.a[0]`. */
  path: text,
  /** `0` shows the equal values as well. */
  only: z.enum(['0', '1']).optional().catch(undefined),
  /** Ignore rules of the diff; absent: the store's own; one empty value: none. */
  rules: list,
  /** `1`: the selection stays on the latest. */
  follow: z.literal('1').optional().catch(undefined),
  /** Which pane is shown where there is room for one. */
  pane: z.enum(['tasks', 'history', 'content', 'inspector']).optional().catch(undefined),
});
export type WorkbenchSearch = z.infer<typeof workbenchSearch>;

export const treeSearch = z.object({ focus: text, expand: list });

export const compareSearch = z.object({ a: text, b: text, path: text, rules: list });
export type CompareSearch = z.infer<typeof compareSearch>;

/** The ignore rules of an address, as the diff takes them. */
export function rulesOf(rules: readonly string[] | undefined): readonly string[] | undefined {
  return rules?.filter((rule) => rule !== '');
}

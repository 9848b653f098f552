/** Differences as a tree: containers on the way to a change, the changes in them, the equal rest folded. */
import { formatPath, memberOf, sourceOf, type Difference, type JsonNode, type Path } from '@checkpoint-inspector/core';
import { relative, stepsOf } from './groups.ts';

interface Place {
  readonly depth: number;
  readonly path: string;
  readonly label: string;
}

export type TreeRow =
  | (Place & { readonly kind: 'container'; readonly changes: number; readonly open: boolean })
  | (Place & { readonly kind: 'change'; readonly item: Difference })
  /** Equal values beside the changes. */
  | (Place & { readonly kind: 'fold'; readonly name: string; readonly equal: number; readonly open: boolean })
  | (Place & { readonly kind: 'equal'; readonly text: string });

/** A step on the way to one or more changes. */
interface Branch {
  readonly items: Difference[];
  readonly children: Map<string | number, Branch>;
}

interface TreeOptions {
  /** The new state, read; without it nothing is known of the equal values. */
  readonly state: { readonly text: string; readonly root: JsonNode } | undefined;
  readonly closed: ReadonlySet<string>;
  /** Shows the equal values as well; those that are folded away have their fold's name in `closed`. */
  readonly all: boolean;
}

/** Equal values that one container shows at most. */
const EQUAL_SHOWN = 500;
const EQUAL_LENGTH = 200;

function branchesOf(items: readonly Difference[]): Branch {
  const root: Branch = { items: [], children: new Map() };
  for (const item of items) {
    let at = root;
    for (const step of stepsOf(item.path)) {
      const next: Branch = at.children.get(step) ?? { items: [], children: new Map() };
      at.children.set(step, next);
      at = next;
    }
    at.items.push(item);
  }
  return root;
}

const foldOf = (path: string): string => `equal ${path}`;

/** Every container above a change, and its own path: what must be open for it to be seen. */
export function containersOf(path: string): string[] {
  const steps = stepsOf(path);
  return steps.map((_, length) => formatPath(steps.slice(0, length)));
}

/** The differences in the order in which the tree has them. */
export function treeOrder(items: readonly Difference[]): Difference[] {
  const order: Difference[] = [];
  const visit = (branch: Branch): void => {
    order.push(...branch.items);
    for (const child of branch.children.values()) visit(child);
  };
  visit(branchesOf(items));
  return order;
}

/** Rows from the root down; containers on the way to no change are not walked. */
export function treeRows(items: readonly Difference[], options: TreeOptions): TreeRow[] {
  const rows: TreeRow[] = [];
  addBranch(rows, branchesOf(items), [], options.state?.root, options);
  return rows;
}

function addBranch(
  rows: TreeRow[],
  branch: Branch,
  path: Path,
  node: JsonNode | undefined,
  options: TreeOptions,
): void {
  const depth = Math.max(0, path.length - 1);
  const text = formatPath(path);
  const label = path.length === 0 ? '$' : relative(path.slice(-1));
  for (const item of branch.items) rows.push({ kind: 'change', depth, path: text, label, item });
  const isContainer = branch.children.size > 0 || (path.length === 0 && options.all && branch.items.length === 0);
  if (!isContainer) return;
  const open = !options.closed.has(text);
  if (path.length > 0) rows.push({ kind: 'container', depth, path: text, label, changes: countIn(branch), open });
  if (!open) return;
  for (const [step, child] of branch.children) addBranch(rows, child, [...path, step], childOf(node, step), options);
  addEqual(rows, branch, path, node, options);
}

/** The members or elements in which nothing changed. */
function addEqual(
  rows: TreeRow[],
  branch: Branch,
  path: Path,
  node: JsonNode | undefined,
  { state, closed, all }: TreeOptions,
): void {
  const rest = equalIn(branch, node);
  if (rest.length === 0 || state === undefined) return;
  const depth = path.length;
  const text = formatPath(path);
  const name = foldOf(text);
  // Folded from the start, unless all values are asked for: the set then says the opposite.
  const open = closed.has(name) !== all;
  rows.push({ kind: 'fold', name, depth, path: text, label: '', equal: rest.length, open });
  if (!open) return;
  for (const [step, value] of rest.slice(0, EQUAL_SHOWN)) {
    const own = [...path, step];
    const source = sourceOf(state.text, value);
    rows.push({
      kind: 'equal',
      depth,
      path: formatPath(own),
      label: relative([step]),
      text: source.length > EQUAL_LENGTH ? `${source.slice(0, EQUAL_LENGTH)}…` : source,
    });
  }
}

function equalIn(branch: Branch, node: JsonNode | undefined): (readonly [string | number, JsonNode])[] {
  const entries: (readonly [string | number, JsonNode])[] =
    node?.kind === 'object'
      ? node.members.map(({ key, value }) => [key, value] as const)
      : node?.kind === 'array'
        ? node.items.map((value, index) => [index, value] as const)
        : [];
  return entries.filter(([step]) => {
    const child = branch.children.get(step);
    // What was removed from this place says nothing about what is here now.
    return child === undefined || (child.children.size === 0 && child.items.every((item) => item.kind === 'removed'));
  });
}

function countIn({ items, children }: Branch): number {
  let count = items.length;
  for (const child of children.values()) count += countIn(child);
  return count;
}

function childOf(node: JsonNode | undefined, step: string | number): JsonNode | undefined {
  if (node?.kind === 'object' && typeof step === 'string') return memberOf(node, step)?.value;
  return node?.kind === 'array' && typeof step === 'number' ? node.items[step] : undefined;
}

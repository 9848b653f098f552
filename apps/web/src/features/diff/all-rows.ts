/** The whole state with its changes in place: for "only changes" off. */
import { formatPath, parseJson, sourceOf, type Difference, type JsonNode, type Path } from '@checkpoint-inspector/core';
import { groupName, labelOf, type ChangeRow, type EqualRow, type Row } from './groups.ts';

/** Beyond this a state is better read in the State tab. */
export const ALL_ROWS_LIMIT = 20_000;

interface Leaf {
  readonly path: Path;
  readonly node: JsonNode;
}

/** Scalars and empty containers, in the order of the text. */
function* leaves(node: JsonNode, path: Path): Generator<Leaf> {
  const stack: Leaf[] = [{ node, path }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { node: at, path: here } = top;
    if (at.kind === 'object' && at.members.length > 0) {
      for (const member of at.members.toReversed()) stack.push({ node: member.value, path: [...here, member.key] });
    } else if (at.kind === 'array' && at.items.length > 0) {
      for (let index = at.items.length - 1; index >= 0; index--) {
        const item = at.items[index];
        if (item) stack.push({ node: item, path: [...here, index] });
      }
    } else yield top;
  }
}

/**
 * Rows for every leaf of the new state, differences instead of the leaves they
 * cover, removed values at the end of their group. `cut` where the state has
 * more values than `ALL_ROWS_LIMIT`; the differences are all there in any case.
 */
export function allRows(
  text: string,
  items: readonly Difference[],
  closed: ReadonlySet<string>,
): { readonly rows: readonly Row[]; readonly cut: boolean } {
  const byGroup = new Map<string, (ChangeRow | EqualRow)[]>();
  const add = (name: string, row: ChangeRow | EqualRow): void => {
    const rows = byGroup.get(name);
    if (rows) rows.push(row);
    else byGroup.set(name, [row]);
  };
  const changes = new Map(items.filter((item) => item.kind !== 'removed').map((item) => [item.path, item]));
  const shown = new Set<Difference>();
  let count = 0;
  for (const { path, node } of leaves(parseJson(text), [])) {
    if (++count > ALL_ROWS_LIMIT) break;
    const change = coveringChange(path, changes);
    const own = formatPath(path);
    if (change === undefined)
      add(groupName(own), {
        kind: 'equal',
        path: own,
        label: labelOf({ path: own, kind: 'changed' }),
        text: sourceOf(text, node),
      });
    else if (!shown.has(change)) {
      shown.add(change);
      add(groupName(change.path), { kind: 'change', item: change, label: labelOf(change) });
    }
  }
  for (const item of items) {
    if (!shown.has(item)) add(groupName(item.path), { kind: 'change', item, label: labelOf(item) });
  }
  const rows = [...byGroup].flatMap(([name, group]): Row[] => {
    const open = !closed.has(name);
    const changes = group.filter((row) => row.kind === 'change').length;
    return [{ kind: 'group', name, changes, open }, ...(open ? group : [])];
  });
  return { rows, cut: count > ALL_ROWS_LIMIT };
}

/** The change at this path or at one above it. */
function coveringChange(path: Path, changes: ReadonlyMap<string, Difference>): Difference | undefined {
  for (let length = path.length; length >= 0; length--) {
    const change = changes.get(formatPath(path.slice(0, length)));
    // A moved element may hold unchanged values; only the element itself is the change.
    if (change && (change.kind !== 'moved' || length === path.length)) return change;
  }
  return undefined;
}

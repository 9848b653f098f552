import type { Difference } from '../diff/types.ts';
import type { JsonNode } from '../json/node.ts';
import { parsePath, type Path } from '../json/path.ts';
import type { Place, Survey } from './places.ts';
import { kindOf, leafOf, type Leaf } from './values.ts';

/** One change of one value at one checkpoint. */
export interface Event extends Place {
  /** Place of the checkpoint on the branch, 0 = its root. */
  readonly step: number;
  readonly kind: 'added' | 'removed' | 'changed' | 'type-changed';
  readonly before?: Leaf;
  readonly after?: Leaf;
  /** Of an added or removed list or object: its depth, so that what came with it is known as one load. */
  readonly load?: string;
}

/** A step that writes more is a load; the rest of it says nothing new. */
const MOST_LEAVES = 2_000;

/** @param before absent at the first checkpoint: all of it is added */
export function eventsOf(
  step: number,
  items: readonly Difference[],
  before: Survey | undefined,
  after: Survey,
): Event[] {
  const events: Event[] = [];
  for (const path of before ? emptied(items, before) : []) events.push(...removed(step, path, before));
  for (const item of items) {
    if (item.kind === 'moved') continue;
    const path = parsePath(item.path);
    if (item.kind === 'removed') {
      if (before) events.push(...removed(step, path, before));
      continue;
    }
    const node = after.node(path);
    if (node === undefined) continue;
    const was = item.kind === 'added' ? undefined : oldNode(item, before, after, path);
    events.push(
      ...written(step, path, node, { after, kind: item.kind, was: was && before && kindOf(before.document, was) }),
    );
    if (events.length > MOST_LEAVES) break;
  }
  return events;
}

/** Lists and maps that lost most of their entries at once: one event rather than one an entry. */
function emptied(items: readonly Difference[], before: Survey): Path[] {
  const gone = new Map<string, { path: Path; count: number }>();
  for (const { kind, path: text } of items) {
    if (kind !== 'removed') continue;
    const path = parsePath(text).slice(0, -1);
    const key = path.join('\n');
    gone.set(key, { path, count: (gone.get(key)?.count ?? 0) + 1 });
  }
  return [...gone.values()].flatMap(({ path, count }) => {
    const had = before.entries(before.node(path)).length;
    return path.length > 0 && count >= 3 && count >= had * 0.6 ? [path] : [];
  });
}

function removed(step: number, path: Path, before: Survey | undefined): Event[] {
  if (before === undefined) return [];
  const node = before.node(path);
  if (node === undefined) return [];
  return [{ ...before.place(path), step, kind: 'removed', before: kindOf(before.document, node) }];
}

/** Entries may have moved: the old value is at the place with the same names. */
function oldNode(item: Difference, before: Survey | undefined, after: Survey, path: Path): JsonNode | undefined {
  const same = before?.node(path);
  if (same && before?.document.source(same) === item.before) return same;
  return before?.find(after.place(path).keys);
}

interface Writing {
  readonly after: Survey;
  readonly kind: 'added' | 'changed' | 'type-changed';
  readonly was: Leaf | undefined;
}

function* written(step: number, path: Path, root: JsonNode, { after, kind, was }: Writing): Generator<Event> {
  const todo: { node: JsonNode; place: Place }[] = [{ node: root, place: after.place(path) }];
  const load = leafOf(after.document, root) ? undefined : `${step} ${path.join('\n')}`;
  for (let count = 0; count < MOST_LEAVES; count++) {
    const at = todo.pop();
    if (at === undefined) return;
    const leaf = leafOf(after.document, at.node);
    if (leaf === undefined) {
      if (at.node === root && kind === 'type-changed' && was) {
        yield { ...at.place, step, kind, before: was, after: kindOf(after.document, root) };
      }
      const members = after
        .entries(at.node)
        .map(({ name, node }) => ({ node, place: after.below(at.place, at.node, name) }));
      todo.push(...members.reverse());
      continue;
    }
    const isRoot = at.node === root;
    yield {
      ...at.place,
      step,
      kind: isRoot ? kind : 'added',
      after: leaf,
      ...(was && isRoot ? { before: was } : {}),
      ...(load === undefined ? {} : { load }),
    };
  }
}

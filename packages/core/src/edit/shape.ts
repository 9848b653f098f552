import type { JsonNode, JsonObject } from '../json/node.ts';
import { formatPath } from '../json/path.ts';
import { parseJson } from '../json/read.ts';
import { child, pathOf, ROOT, type Trail } from '../diff/trail.ts';

type Kind = JsonNode['kind'];

export interface ShapeWarning {
  /** As text: `$.plan[2].status`. */
  readonly path: string;
  /** `missing`: every state before had the key. `type`: none had a value of this type there. */
  readonly kind: 'missing' | 'type';
  /** Types that stood there before, the most common first. */
  readonly before: readonly Kind[];
  readonly after?: Kind;
  /** In words, without any value. */
  readonly message: string;
}

/** More are not listed: a text of quite another shape says so in a hundred lines. */
export const SHAPE_WARNINGS = 100;

/** What stood at one place over all states before; of an array, over all its items. */
interface Seen {
  readonly kinds: Map<Kind, number>;
  readonly keys: Map<string, { count: number; readonly seen: Seen }>;
  objects: number;
  items?: Seen;
}

/**
 * Where an edited state does not look like the states before it: a key that all of them had is gone, or a value has a
 * type that none of them had. Only a hint; an agent may well take it. Items of an array are compared with all items
 * that stood there.
 * @param before the edited state's original, and its siblings if there are any, as JSON text
 * @throws InspectorError unreadable
 * @example checkShape('{"cache": true}', '{"cache": "no"}') // [{ path: '$.cache', kind: 'type', ... }]
 */
export function checkShape(before: string | readonly string[], after: string): readonly ShapeWarning[] {
  const seen = newSeen();
  for (const text of typeof before === 'string' ? [before] : before) learn(parseJson(text), seen);
  const warnings: ShapeWarning[] = [];
  const todo: Place[] = [{ node: parseJson(after), seen, at: ROOT }];
  for (let next = todo.pop(); next && warnings.length < SHAPE_WARNINGS; next = todo.pop()) {
    const { node, at } = next;
    const known = next.seen;
    if (isNewType(node.kind, known)) {
      warnings.push(typeWarning(at, known, node.kind));
    } else if (node.kind === 'object') {
      const members = lastMembers(node);
      for (const [key, { count, seen: value }] of known.keys) {
        if (count === known.objects && !members.has(key)) warnings.push(missingWarning(child(at, key), value));
      }
      for (const [key, value] of [...members].toReversed()) {
        const below = known.keys.get(key);
        if (below) todo.push({ node: value, seen: below.seen, at: child(at, key) });
      }
    } else if (node.kind === 'array' && known.items) {
      for (let key = node.items.length - 1; key >= 0; key--) {
        const item = node.items[key];
        if (item) todo.push({ node: item, seen: known.items, at: child(at, key) });
      }
    }
  }
  return warnings.slice(0, SHAPE_WARNINGS);
}

interface Place {
  readonly node: JsonNode;
  /** What stood there before. */
  readonly seen: Seen;
  readonly at: Trail;
}

function learn(root: JsonNode, into: Seen): void {
  const todo: { readonly node: JsonNode; readonly seen: Seen }[] = [{ node: root, seen: into }];
  for (let next = todo.pop(); next; next = todo.pop()) {
    const { node, seen } = next;
    seen.kinds.set(node.kind, (seen.kinds.get(node.kind) ?? 0) + 1);
    if (node.kind === 'object') {
      seen.objects++;
      for (const [key, value] of lastMembers(node)) {
        const known = seen.keys.get(key) ?? { count: 0, seen: newSeen() };
        known.count++;
        seen.keys.set(key, known);
        todo.push({ node: value, seen: known.seen });
      }
    } else if (node.kind === 'array') {
      seen.items ??= newSeen();
      for (const item of node.items) todo.push({ node: item, seen: seen.items });
    }
  }
}

function newSeen(): Seen {
  return { kinds: new Map(), keys: new Map(), objects: 0 };
}

/** Among duplicate keys the last one counts, as for the agent. */
function lastMembers(object: JsonObject): ReadonlyMap<string, JsonNode> {
  return new Map(object.members.map(({ key, value }) => [key, value]));
}

/** A place that was only ever null says nothing of the type that belongs there. */
function isNewType(kind: Kind, { kinds }: Seen): boolean {
  if (kinds.size === 0 || kinds.has(kind)) return false;
  return kinds.size > 1 || !kinds.has('null');
}

function typeWarning(at: Trail, { kinds }: Seen, after: Kind): ShapeWarning {
  const path = formatPath(pathOf(at));
  const before = common(kinds);
  const message = `${path} is now ${a(after)}; it was ${before.map(a).join(' or ')}.`;
  return { path, kind: 'type', before, after, message };
}

function missingWarning(at: Trail, { kinds }: Seen): ShapeWarning {
  const path = formatPath(pathOf(at));
  return { path, kind: 'missing', before: common(kinds), message: `${path} is missing; every earlier state had it.` };
}

function common(kinds: ReadonlyMap<Kind, number>): readonly Kind[] {
  return [...kinds].toSorted(([, a], [, b]) => b - a).map(([kind]) => kind);
}

export function a(kind: Kind): string {
  if (kind === 'null') return 'null';
  return kind === 'object' || kind === 'array' ? `an ${kind}` : `a ${kind}`;
}

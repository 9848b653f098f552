import type { JsonNode } from '../json/node.ts';
import type { Path } from '../json/path.ts';
import { child, pathOf, ROOT, type Trail } from '../diff/trail.ts';

interface Visit {
  readonly node: JsonNode;
  /** Made only when asked for. */
  readonly path: () => Path;
}

/** Every value of a document in the order of its text, at any depth. */
export function* nodesOf(root: JsonNode): Iterable<Visit> {
  const todo: { readonly node: JsonNode; readonly at: Trail }[] = [{ node: root, at: ROOT }];
  for (let next = todo.pop(); next; next = todo.pop()) {
    const { node, at } = next;
    yield { node, path: () => pathOf(at) };
    if (node.kind === 'object') {
      for (const { key, value } of node.members.toReversed()) todo.push({ node: value, at: child(at, key) });
    } else if (node.kind === 'array') {
      for (let key = node.items.length - 1; key >= 0; key--) {
        const item = node.items[key];
        if (item) todo.push({ node: item, at: child(at, key) });
      }
    }
  }
}

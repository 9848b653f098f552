import type { JsonNode } from '../json/node.ts';
import type { Path } from '../json/path.ts';

/** A path as a chain, so that deep values do not copy it at every level. */
export interface Step {
  readonly above: Step | undefined;
  readonly key: string | number;
}

interface Visit {
  readonly node: JsonNode;
  /** Made only when asked for. */
  readonly path: () => Path;
}

/** Every value of a document in the order of its text, at any depth. */
export function* nodesOf(root: JsonNode): Iterable<Visit> {
  const todo: { readonly node: JsonNode; readonly step: Step | undefined }[] = [{ node: root, step: undefined }];
  for (let next = todo.pop(); next; next = todo.pop()) {
    const { node, step } = next;
    yield { node, path: () => pathOf(step) };
    if (node.kind === 'object') {
      for (const { key, value } of node.members.toReversed()) todo.push({ node: value, step: { above: step, key } });
    } else if (node.kind === 'array') {
      for (let key = node.items.length - 1; key >= 0; key--) {
        const item = node.items[key];
        if (item) todo.push({ node: item, step: { above: step, key } });
      }
    }
  }
}

/** From the root on. */
export function pathOf(last: Step | undefined): Path {
  const path: (string | number)[] = [];
  for (let step = last; step; step = step.above) path.push(step.key);
  return path.reverse();
}

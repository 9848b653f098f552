/** Which values of a state a checkpoint has changed, looked up by path. */
import { type Difference, formatPath, parsePath, type Path } from '@checkpoint-inspector/core';

export interface Changes {
  /** The change of the value at a path. */
  at(path: string): Difference | undefined;
  /** True for a value inside one that was added as a whole. */
  isInsideAdded(path: Path): boolean;
  /** How many changes a container holds, removed values included. */
  inside(path: string): number;
}

/** @example changesOf([{ path: '$.a.b', kind: 'changed' }]).inside('$.a') // 1 */
export function changesOf(items: readonly Difference[]): Changes {
  const own = new Map<string, Difference>();
  const held = new Map<string, number>();
  for (const item of items) {
    if (item.kind !== 'removed') own.set(item.path, item);
    const steps = parsePath(item.path);
    for (let depth = 0; depth < steps.length; depth++) {
      const above = formatPath(steps.slice(0, depth));
      held.set(above, (held.get(above) ?? 0) + 1);
    }
  }
  return {
    at: (path) => own.get(path),
    isInsideAdded: (path) =>
      path.some((_, depth) => depth > 0 && own.get(formatPath(path.slice(0, depth)))?.kind === 'added'),
    inside: (path) => held.get(path) ?? 0,
  };
}

import type { Path } from '../json/path.ts';

/** A path as a chain towards the root; everything below a place shares its chain. */
export interface Trail {
  readonly parent?: Trail;
  readonly step: string | number;
  readonly depth: number;
}

export const ROOT: Trail = { step: '$', depth: 0 };

export function child(parent: Trail, name: string | number): Trail {
  return { parent, step: name, depth: parent.depth + 1 };
}

/** The old and the new trail one step further: one chain as long as they agree. */
export function step(was: Trail, now: Trail, from: string | number, to: string | number): { was: Trail; now: Trail } {
  const next = child(now, to);
  return { was: was === now && from === to ? next : child(was, from), now: next };
}

export function pathOf(trail: Trail): Path {
  const path: (string | number)[] = [];
  for (let at = trail; at.parent; at = at.parent) path.push(at.step);
  return path.reverse();
}

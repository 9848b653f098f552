/** `+`, `-` and `*` in the views of a diff: what the state tree has as well. */
import { useKeys } from '../../lib/keys.ts';

/** Something that opens and closes, where the view has it. */
export interface Level {
  readonly name: string;
  readonly open: boolean;
  readonly depth: number;
}

/** What to open for one level more: all that is closed and in view. */
export const nextLevel = (levels: readonly Level[]): readonly string[] =>
  levels.filter(({ open }) => !open).map(({ name }) => name);

/** What to close for one level less: the deepest that are open. */
export function lastLevel(levels: readonly Level[]): readonly string[] {
  const open = levels.filter((level) => level.open);
  const deepest = open.reduce((most, { depth }) => Math.max(most, depth), 0);
  return open.filter(({ depth }) => depth === deepest).map(({ name }) => name);
}

/** What stands at the depth of the focused row and is closed. */
export const besideOf = (levels: readonly Level[], depth: number): readonly string[] =>
  levels.filter((level) => !level.open && level.depth === depth).map(({ name }) => name);

/** @param depth of the focused row */
export function useLevelKeys(levels: readonly Level[], depth: number, toggle: (name: string) => void): void {
  const all = (names: readonly string[]) => (): void => names.forEach((name) => toggle(name));
  useKeys({
    '*': all(besideOf(levels, depth)),
    '+': all(nextLevel(levels)),
    '=': all(nextLevel(levels)),
    '-': all(lastLevel(levels)),
  });
}

/** The groups of a flat list are one level. */
export const groupLevels = (
  rows: readonly { readonly kind: string; readonly name?: string; readonly open?: boolean }[],
): Level[] =>
  rows.flatMap(({ kind, name, open }) =>
    kind === 'group' && name !== undefined && open !== undefined ? [{ name, open, depth: 0 }] : [],
  );

/** `+`, `-` and `*`: many containers opened or closed at once, in a tree of values and in the views of a diff. */
import { useKeys } from '../../lib/keys.ts';

/** Something that opens and closes, where the view has it. */
export interface Level {
  readonly name: string;
  readonly open: boolean;
  readonly depth: number;
  /** Equal for those that are beside each other. */
  readonly beside: string;
}

/** What to open for one level more: all that is closed and in view. */
export const nextLevel = <L extends Level>(levels: readonly L[]): readonly L[] => levels.filter(({ open }) => !open);

/** What to close for one level less: the deepest that are open. */
export function lastLevel<L extends Level>(levels: readonly L[]): readonly L[] {
  const open = levels.filter((level) => level.open);
  const deepest = open.reduce((most, { depth }) => Math.max(most, depth), 0);
  return open.filter(({ depth }) => depth === deepest);
}

/** What is beside the focused row and closed. */
export const besideOf = <L extends Level>(levels: readonly L[], beside: string | undefined): readonly L[] =>
  levels.filter((level) => !level.open && level.beside === beside);

/**
 * @param levelsNow asked for when a key is pressed
 * @param beside of the focused row
 */
export function useLevelKeys<L extends Level>(
  levelsNow: () => readonly L[],
  beside: string | undefined,
  toggle: (levels: readonly L[]) => void,
): void {
  const more = (): void => toggle(nextLevel(levelsNow()));
  useKeys({
    '*': () => toggle(besideOf(levelsNow(), beside)),
    '+': more,
    '=': more,
    '-': () => toggle(lastLevel(levelsNow())),
  });
}

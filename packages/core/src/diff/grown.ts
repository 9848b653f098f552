import { PartialDiff } from './diff.ts';
import { child, ROOT } from './trail.ts';
import type { Diff, DiffOptions } from './types.ts';

/** One member of two states: the texts of its values, absent where a state has none. */
interface MemberTexts {
  readonly key: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Two states that begin a list with the same elements, without these. */
export interface GrownStates {
  /** Beside the list, in the order of the states. */
  readonly members: readonly MemberTexts[];
  /** The last member of both. */
  readonly list: {
    readonly key: string;
    /** How many elements both begin with. */
    readonly count: number;
    /** The elements behind them. One of both is empty: what is in one state only was added or removed. */
    readonly before: readonly string[];
    readonly after: readonly string[];
  };
}

/**
 * What `diffJson` says of the two states.
 * @throws InspectorError unreadable (a text is not JSON) | invalid_input (an ignore rule)
 * @example diffGrown({ members: [], list: { key: 'items', count: 9, before: [], after: ['1'] } }).items // $.items[9] was added
 */
export function diffGrown({ members, list }: GrownStates, options: DiffOptions = {}): Diff {
  const diff = new PartialDiff(options);
  const add = ({ key, before, after }: MemberTexts, offset = 0): void => {
    const at = child(ROOT, key);
    diff.add(before, after, { was: at, now: at, offset });
  };
  for (const member of members) if (member.before !== undefined) add(member);
  add({ key: list.key, before: listText(list.before), after: listText(list.after) }, list.count);
  for (const member of members) if (member.before === undefined && member.after !== undefined) add(member);
  return diff.result();
}

const listText = (items: readonly string[]): string => `[${items.join(',')}]`;

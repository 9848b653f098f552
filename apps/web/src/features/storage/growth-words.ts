/** What makes a task grow, in words. */
import type { Growth } from '../../lib/api.ts';
import { formatCount, formatSize, plural, formatPercent } from '../../lib/format.ts';

type Entry = Growth['states']['entries'][number];

/** Where checkpoints share values, one that is in many of them is stored once. @example 'stored 58 times, 3 different values' */
export function storedWords({ checkpoints, values }: Entry, isShared: boolean): string {
  const often = isShared ? `in ${plural(checkpoints, 'checkpoint')}` : `stored ${plural(checkpoints, 'time')}`;
  if (checkpoints === 1) return often;
  if (values === 1) return `${often}, always the same`;
  return `${often}, ${values === checkpoints ? 'always different' : `${formatCount(values)} different values`}`;
}

/** @example '97%' */
export const shareWords = (bytes: number, of: number): string => formatPercent(of === 0 ? 0 : bytes / of);

/** What pruning would free, most first; empty where there is nothing to prune. */
export function keepingWords({ keeping }: Growth): readonly string[] {
  return keeping
    .filter(({ checkpoints }) => checkpoints > 0)
    .toReversed()
    .map(({ newest, checkpoints, bytes }) => {
      const kept = newest === 1 ? 'the newest checkpoint' : `the newest ${newest}`;
      return `Keeping only ${kept} would free up to ${formatSize(bytes)} (${plural(checkpoints, 'checkpoint')}).`;
    });
}

/** What the figures leave out, and what they do not say. */
export function caveatsOf({
  sharing,
  derived,
  states,
  examined: { n, of, outside, unread },
}: Growth): readonly string[] {
  const left = states.rest.entries;
  return [
    ...(sharing === undefined ? [] : [`${sharing} Deleting some frees less than their sizes add up to.`]),
    ...(left === 0 ? [] : [`${plural(left, 'smaller entry', 'smaller entries')}: ${formatSize(states.rest.bytes)}.`]),
    ...(derived === undefined ? [] : ['Sizes of entries are as JSON; this store has the states in another form.']),
    ...(unread.checkpoints === 0 ? [] : [`Not read: ${plural(unread.checkpoints, 'state')}, unreadable or too large.`]),
    ...(outside.checkpoints === 0
      ? []
      : [`Not read: ${plural(outside.checkpoints, 'older checkpoint')}, ${formatSize(outside.bytes)}.`]),
    `${formatCount(n)} of ${plural(of, 'checkpoint')} read; keys and punctuation take ${formatSize(states.frameBytes)}.`,
  ];
}

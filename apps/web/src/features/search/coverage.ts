import { formatCount } from '../../lib/format.ts';
import type { SearchCoverage } from '../../lib/wire.ts';

type Counts = Pick<SearchCoverage, 'of' | 'indexed' | 'partly' | 'locked' | 'unreadable'>;

/** Of all stores together. */
export function sumOf(stores: readonly Counts[]): Counts {
  const sum = (pick: (counts: Counts) => number): number => stores.reduce((total, counts) => total + pick(counts), 0);
  return {
    of: sum(({ of }) => of),
    indexed: sum(({ indexed }) => indexed),
    partly: sum(({ partly }) => partly),
    locked: sum(({ locked }) => locked),
    unreadable: sum(({ unreadable }) => unreadable),
  };
}

/** @example coverageWords(counts) // '2,998 of 3,001 indexed, 1 locked, 2 unreadable' */
export function coverageWords({ of, indexed, partly, locked, unreadable }: Counts): string {
  const waiting = of - indexed - locked - unreadable;
  const parts = [
    `${formatCount(indexed)} of ${formatCount(of)} indexed`,
    locked > 0 && `${formatCount(locked)} locked`,
    unreadable > 0 && `${formatCount(unreadable)} unreadable`,
    waiting > 0 && `${formatCount(waiting)} not read yet`,
    partly > 0 && `${formatCount(partly)} only in part`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}

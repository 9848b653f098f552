import type { SqliteDatabase } from '@checkpoint-inspector/io';
import type { Texts } from '../cache/texts.ts';
import type { FindOptions } from '../cache/types.ts';
import type { SearchQuery } from '../query/types.ts';

/** A task that may be looked in. */
export interface OpenTask {
  readonly storeKey: string;
  readonly task: string;
  readonly newestMs: number;
}

/** What a search needs, whatever it looks for. */
export interface Search {
  readonly db: SqliteDatabase;
  readonly texts: Texts;
  /** By number. */
  readonly tasks: ReadonlyMap<number, OpenTask>;
  readonly query: SearchQuery;
  readonly options: FindOptions;
}

/** Other requests wait no longer than this for a search. */
const SLICE_MS = 12;

export type Pace = ReturnType<typeof createPace>;

/** Keeps a search within its time, and lets others work in between. */
export function createPace({ until, pause }: Pick<FindOptions, 'until' | 'pause'>) {
  let begun = performance.now();
  const isOver = () => performance.now() >= until;
  return {
    /** True once the time is over. */
    get isOver() {
      return isOver();
    },
    /** Between pieces of work; false once the time is over. */
    async turn() {
      if (performance.now() - begun >= SLICE_MS) {
        await pause();
        begun = performance.now();
      }
      return !isOver();
    },
  };
}

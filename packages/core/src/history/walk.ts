import { compact } from '../compact.ts';
import { InspectorError } from '../errors.ts';
import { equalJson } from '../json/equal.ts';
import { formatPath, type Path } from '../json/path.ts';
import type { CheckpointRef } from '../model.ts';
import { locate } from './locate.ts';
import { placeAfter } from './moved.ts';
import type { HistoryPoint, HistoryRow, HistorySource } from './types.ts';

/** A checkpoint that was read. */
interface Read {
  readonly point: HistoryPoint;
  readonly revision: string;
  readonly value: string | undefined;
  /** The whole state, read when it is needed; `undefined` where it can't be any more. */
  readonly text: () => Promise<string | undefined>;
}

/** `undefined`, not a promise, where the texts have to be read for it. */
type Placed = (one: CheckpointRef, other: CheckpointRef) => Promise<Path | undefined> | undefined;

interface OpenGap {
  /** Its newest checkpoint. */
  readonly point: HistoryPoint;
  readonly code: string;
  readonly message: string;
  oldest: CheckpointRef;
  count: number;
}

/** The history of one path, one checkpoint after another from the newest to the root: at most two states are held. */
export class PathWalk {
  readonly #path: Path;
  readonly #placed: Placed | undefined;
  #newer: Read | undefined;
  #gap: OpenGap | undefined;

  /** @param placed who knows where the value of one state is in another, without their texts being read here */
  constructor(path: Path, placed?: Placed) {
    this.#path = path;
    this.#placed = placed;
  }

  /** The rows that this checkpoint, the next older one, makes known. */
  async next(source: HistorySource): Promise<HistoryRow[]> {
    const older = await this.#read(source);
    if ('code' in older) {
      this.#widen(source.point, older);
      return [];
    }
    const newer = this.#newer;
    const gap = this.#gap;
    this.#newer = older;
    this.#gap = undefined;
    if (newer === undefined) return gap ? [gapRow(gap, 'unknown', older.value, undefined)] : [];
    const same = older.revision === newer.revision || isSame(older.value, newer.value);
    if (gap) return [gapRow(gap, same ? 'same' : 'differ', older.value, newer.value)];
    return same ? [] : [await this.#change(older, newer)];
  }

  /** The rows that are known once there is no older checkpoint. */
  end(): HistoryRow[] {
    const root = this.#newer;
    if (this.#gap) return [gapRow(this.#gap, 'unknown', undefined, root?.value)];
    return root?.value === undefined ? [] : [{ ...root.point, kind: 'set', after: root.value }];
  }

  async #read(source: HistorySource): Promise<Read | Failure> {
    const { point, revision } = source;
    const newer = this.#newer;
    if (newer !== undefined && revision !== undefined && revision === newer.revision) return { ...newer, point };
    try {
      const found = (await valueOf(source, this.#path)) ?? (await stateOf(source, this.#path));
      if (found === undefined) return { code: 'not_found', message: 'It is no longer in the store.' };
      return found.revision === newer?.revision ? { ...newer, point } : { point, ...found };
    } catch (error) {
      if (!InspectorError.is(error) || error.code === 'internal') throw error;
      return { code: error.code, message: error.message };
    }
  }

  #widen(point: HistoryPoint, failure: Failure): void {
    this.#gap ??= { point, ...failure, oldest: point.ref, count: 0 };
    this.#gap.oldest = point.ref;
    this.#gap.count++;
  }

  async #change(older: Read, newer: Read): Promise<HistoryRow> {
    const { value: before } = older;
    const { value: after } = newer;
    const values = compact({ before, after });
    const row = (kind: HistoryRow['kind'], more: Pick<HistoryRow, 'from' | 'to'> = {}): HistoryRow => {
      return { ...newer.point, kind, ...values, ...more };
    };
    if (before === undefined) {
      const from = await this.#placeIn(newer, older);
      return from === undefined ? row('set') : row('moved', { from: formatPath(from) });
    }
    // A value under a name that stays was overwritten; an array element may have gone to another place.
    const mayHaveMoved = after === undefined || this.#path.some((step) => typeof step === 'number');
    const to = mayHaveMoved ? await this.#placeIn(older, newer) : undefined;
    if (to !== undefined) return row('moved', { to: formatPath(to) });
    if (after === undefined) return row('removed');
    return row(typeOf(before) === typeOf(after) ? 'changed' : 'type-changed');
  }

  /** Where the value of one state is in the other. */
  async #placeIn(one: Read, other: Read): Promise<Path | undefined> {
    const elsewhere = this.#placed?.(one.point.ref, other.point.ref);
    if (elsewhere !== undefined) return elsewhere;
    const [before, after] = [await one.text(), await other.text()];
    return before === undefined || after === undefined ? undefined : placeAfter(before, after, this.#path);
  }
}

type Found = Omit<Read, 'point'>;

async function stateOf({ read }: HistorySource, path: Path): Promise<Found | undefined> {
  const state = await read();
  if (state === undefined) return undefined;
  const { text, revision } = state;
  return { revision, value: locate(text, path), text: async () => text };
}

async function valueOf({ readValue, read }: HistorySource, path: Path): Promise<Found | undefined> {
  const found = await readValue?.(path);
  if (found === undefined) return undefined;
  const { value, revision } = found;
  let text: Promise<string | undefined> | undefined;
  const whole = async (): Promise<string | undefined> => {
    const state = await read();
    return state?.revision === revision ? state.text : undefined;
  };
  return { revision, value, text: () => (text ??= whole()) };
}

interface Failure {
  readonly code: string;
  readonly message: string;
}

function isSame(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return equalJson(a, b);
}

function gapRow(
  { point, code, message, oldest, count }: OpenGap,
  sides: 'same' | 'differ' | 'unknown',
  before: string | undefined,
  after: string | undefined,
): HistoryRow {
  return { ...point, kind: 'gap', ...compact({ before, after }), gap: { count, oldest, code, message, sides } };
}

const TYPES: Readonly<Record<string, string>> = {
  '{': 'object',
  '[': 'array',
  '"': 'string',
  t: 'boolean',
  f: 'boolean',
  n: 'null',
};

/** Of a value's source. */
function typeOf(text: string): string {
  return TYPES[text.charAt(0)] ?? 'number';
}

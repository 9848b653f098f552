import type { CheckpointMeta, CheckpointStatus } from '@checkpoint-inspector/core';
import type { Mark } from './contract.ts';

const STATUSES: readonly CheckpointStatus[] = ['unknown', 'running', 'completed', 'failed', 'interrupted', 'pending'];
const FIRST_ROOM = 256;

type Rest = Omit<Mark, 'id' | 'end' | 'start' | 'from' | 'time' | 'status'>;

/** A mark with its place, as the columns keep it. */
export type PlacedMark = Mark & { readonly start: number };

/** Marks of a session as columns: a million lines of a log may be as many. Ids are unique: a second one gets a number. */
export class MarkColumns {
  readonly #ids: string[] = [];
  readonly #places = new Map<string, number>();
  /** Of ids that came more than once, the next number. */
  readonly #numbered = new Map<string, number>();
  /** What few marks have, or many have alike. */
  readonly #rest: Rest[] = [];
  /** File, start, end, from, time: five numbers a mark. */
  #numbers = new Float64Array(FIRST_ROOM * 5);
  #statuses = new Uint8Array(FIRST_ROOM);

  get length(): number {
    return this.#ids.length;
  }

  push(file: number, mark: Mark): void {
    const at = this.length;
    if (at === this.#statuses.length) this.#grow();
    const { id, end, start = this.#startOf(file), from = 0, time, status, ...rest } = mark;
    this.#add(this.#freeId(id), at);
    this.#numbers.set([file, start, end, from, time === undefined ? Number.NaN : Date.parse(time)], at * 5);
    this.#statuses[at] = STATUSES.indexOf(status);
    this.#rest.push({ ...rest, description: ownText(rest.description) });
  }

  /** Takes marks away from the end. */
  cut(length: number): void {
    for (const id of this.#ids.splice(length)) this.#places.delete(id);
    this.#rest.length = length;
  }

  fileAt(at: number): number {
    return this.#numbers[at * 5] ?? 0;
  }

  indexOf(id: string): number | undefined {
    return this.#places.get(id);
  }

  at(at: number): PlacedMark | undefined {
    const id = this.#ids[at];
    if (id === undefined) return undefined;
    const [, start = 0, end = 0, from = 0, time = Number.NaN] = this.#numbers.subarray(at * 5, at * 5 + 5);
    const times = Number.isNaN(time) ? {} : { time: new Date(time).toISOString() };
    return {
      id,
      start,
      end,
      from,
      ...times,
      status: STATUSES[this.#statuses[at] ?? 0] ?? 'unknown',
      ...this.#rest[at],
    };
  }

  problemAt(at: number): CheckpointMeta['problem'] {
    return this.#rest[at]?.problem;
  }

  /** The last mark of a file that is not behind a byte. */
  lastBefore(file: number, end: number): number | undefined {
    for (let at = this.length - 1; at >= 0; at--) {
      if (this.fileAt(at) === file && (this.#numbers[at * 5 + 2] ?? 0) <= end) return at;
    }
    return undefined;
  }

  #add(id: string, at: number): void {
    this.#ids.push(id);
    this.#places.set(id, at);
  }

  #freeId(id: string): string {
    if (!this.#places.has(id)) return id;
    let n = this.#numbered.get(id) ?? 2;
    while (this.#places.has(`${id}#${n}`)) n++;
    this.#numbered.set(id, n + 1);
    return `${id}#${n}`;
  }

  #startOf(file: number): number {
    const last = this.length - 1;
    return last >= 0 && this.fileAt(last) === file ? (this.#numbers[last * 5 + 2] ?? 0) : 0;
  }

  #grow(): void {
    const [numbers, statuses] = [this.#numbers, this.#statuses];
    this.#numbers = new Float64Array(numbers.length * 2);
    this.#numbers.set(numbers);
    this.#statuses = new Uint8Array(statuses.length * 2);
    this.#statuses.set(statuses);
  }
}

/** The beginning of a long text would keep all of it in memory. */
function ownText(words: string | undefined): string | undefined {
  return words === undefined ? undefined : Buffer.from(words, 'utf16le').toString('utf16le');
}

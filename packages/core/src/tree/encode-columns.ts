/** Beside the reading of columns, which the page needs first. */
import type { CheckpointRef, CheckpointStatus, LineageKind, LineagePart, LineageRow, LineageRun } from '../model.ts';
import { isPlainTime } from '../uuid6.ts';
import type { LineageColumns } from './columns.ts';

const LETTERS: Readonly<Record<LineageKind, string>> = { recorded: 'r', sidecar: 's', inferred: 'i', none: 'n' };

/** @example encodeLineage('run-1', rows).ids.length === rows.length */
export function encodeLineage(task: string, rows: Iterable<LineageRow>): LineageColumns {
  const encoder = new LineageEncoder(task);
  for (const row of rows) encoder.add(row);
  return encoder.end();
}

/**
 * Columns from rows as they come: none of the rows is kept, so that of a large tree nothing but its columns is.
 * @example const encoder = new LineageEncoder('run-1'); for await (const row of rows) encoder.add(row); encoder.end();
 */
export class LineageEncoder {
  readonly #task: string;
  readonly #ids: string[] = [];
  readonly #namespaces: (string | null)[] = [];
  readonly #parents: (number | null)[] = [];
  /** Parents without a row yet: most come before their children. */
  readonly #waiting: (readonly [row: number, parent: CheckpointRef])[] = [];
  readonly #places = new Map<string | undefined, Map<string, number>>();
  /** So many rows have a place: others get theirs once somebody asks, as in one long chain nobody does. */
  #placed = 0;
  /** Rows whose ref another row has too. */
  readonly #shared = new Set<number>();
  #kinds = '';
  readonly #statuses = new Words<CheckpointStatus>();
  readonly #times: (number | string | null)[] = [];
  readonly #seqs: number[] = [];
  readonly #steps: (number | null)[] = [];
  readonly #descriptions = new Words<string>();
  readonly #latest: number[] = [];
  #hasNamespaces = false;
  #hasSeqs = false;
  #hasSteps = false;

  constructor(task: string) {
    this.#task = task;
  }

  add(row: LineageRow): void {
    const at = this.#ids.push(row.id) - 1;
    this.#namespaces.push(row.namespace ?? null);
    this.#hasNamespaces ||= row.namespace !== undefined;
    this.#addParent(row.parent, at);
    this.#kinds += LETTERS[row.kind];
    this.#statuses.add(row.status);
    this.#times.push(timeOf(row.time));
    this.#seqs.push(row.seq);
    this.#hasSeqs ||= row.seq !== at + 1;
    this.#steps.push(row.stepIndex ?? null);
    this.#hasSteps ||= row.stepIndex !== undefined;
    this.#descriptions.add(row.description);
    if (row.isLatest) this.#latest.push(at);
  }

  addPart(part: LineagePart): void {
    if (!('rows' in part)) return this.#addRun(part);
    for (const row of part.rows) this.add(row);
  }

  end(): LineageColumns {
    const elsewhere = this.#settleParents();
    return {
      task: this.#task,
      ids: this.#ids,
      ...(this.#hasNamespaces ? { namespaces: this.#namespaces } : {}),
      parents: this.#parents,
      elsewhere,
      kinds: this.#kinds,
      statuses: this.#statuses.words,
      statusAt: this.#statuses.at,
      times: this.#times,
      ...(this.#hasSeqs ? { seqs: this.#seqs } : {}),
      ...(this.#hasSteps ? { steps: this.#steps } : {}),
      descriptions: this.#descriptions.words,
      descriptionAt: this.#descriptions.at,
      latest: this.#latest,
    };
  }

  #addRun({ ids, parents, statuses, times, steps, descriptions, latest }: LineageRun): void {
    const first = this.#ids.length;
    if (latest !== undefined) this.#latest.push(first + latest);
    for (let at = 0; at < ids.length; at++) {
      const row = this.#ids.push(ids[at] ?? '') - 1;
      // What comes before the first of a run may be of another namespace.
      const before = row > 0 && (this.#namespaces[row - 1] ?? null) === null ? row - 1 : null;
      this.#namespaces.push(null);
      const given = parents === 'before' ? undefined : (parents[at] ?? null);
      if (typeof given === 'string') this.#addParent({ task: this.#task, id: given }, row);
      else this.#parents.push(before);
      this.#kinds += before === null && typeof given !== 'string' ? 'n' : given === null ? 'i' : 'r';
      this.#statuses.add(statuses[at] ?? 'unknown');
      this.#times.push(timeOf(times[at] ?? undefined));
      this.#seqs.push(row + 1);
      this.#steps.push(steps[at] ?? null);
      this.#hasSteps ||= steps[at] !== null;
      this.#descriptions.add(descriptions[at] ?? undefined);
    }
  }

  #placeRows(): void {
    for (; this.#placed < this.#ids.length; this.#placed++) {
      const namespace = this.#namespaces[this.#placed] ?? undefined;
      const id = this.#ids[this.#placed] ?? '';
      const places = this.#places.get(namespace) ?? new Map<string, number>();
      if (places.size === 0) this.#places.set(namespace, places);
      const other = places.get(id);
      if (other === undefined) places.set(id, this.#placed);
      else this.#shared.add(other);
    }
  }

  #addParent(parent: CheckpointRef | undefined, at: number): void {
    const place = parent && this.#placeOf(parent);
    this.#parents.push(place ?? null);
    if (parent && place === undefined) this.#waiting.push([at, parent]);
  }

  #placeOf({ task, namespace, id }: CheckpointRef): number | undefined {
    if (task !== this.#task) return undefined;
    this.#placeRows();
    return this.#places.get(namespace)?.get(id);
  }

  /** A parent that is a row goes by its place; a ref that two rows share stays a ref, because both may be meant. */
  #settleParents(): (readonly [row: number, parent: CheckpointRef])[] {
    const elsewhere: (readonly [number, CheckpointRef])[] = [];
    if (this.#placed > 0) this.#placeRows();
    for (const [at, parent] of this.#waiting) {
      const place = this.#placeOf(parent);
      if (place === undefined) elsewhere.push([at, parent]);
      else this.#parents[at] = place;
    }
    if (this.#shared.size === 0) return elsewhere;
    for (const [at, place] of this.#parents.entries()) {
      if (place === null || !this.#shared.has(place)) continue;
      const [namespace, id = ''] = [this.#namespaces[place] ?? undefined, this.#ids[place]];
      elsewhere.push([at, namespace === undefined ? { task: this.#task, id } : { task: this.#task, namespace, id }]);
      this.#parents[at] = null;
    }
    return elsewhere.sort(([a], [b]) => a - b);
  }
}

/** Texts of which there are few, each once; of row, its place among them, -1 for none. */
class Words<T extends string> {
  readonly #places = new Map<T, number>();
  readonly at: number[] = [];

  add(word: T | undefined): void {
    this.at.push(word === undefined ? -1 : this.#placeOf(word));
  }

  get words(): T[] {
    return [...this.#places.keys()];
  }

  #placeOf(word: T): number {
    const known = this.#places.get(word);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(word, place);
    return place;
  }
}

function timeOf(time: string | undefined): number | string | null {
  if (time === undefined) return null;
  const ms = Date.parse(time);
  return isPlainTime(time) || (Number.isFinite(ms) && new Date(ms).toISOString() === time) ? ms : time;
}

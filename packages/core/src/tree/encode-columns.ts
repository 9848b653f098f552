/** Beside the reading of columns, which the page needs first. */
import type { CheckpointRef, LineageKind, LineagePart, LineageRow, LineageRun } from '../model.ts';
import type { LineageColumns } from './columns.ts';

const LETTERS: Readonly<Record<LineageKind, string>> = { recorded: 'r', sidecar: 's', inferred: 'i', none: 'n' };
/** Rows that are written at once. */
const BATCH = 1_000;

/**
 * JSON text of the `LineageColumns` of a task.
 * @example decodeLineage(JSON.parse(encodeLineage('run-1', rows))) // rows again
 */
export function encodeLineage(task: string, rows: Iterable<LineageRow>): string {
  const encoder = new LineageEncoder(task);
  for (const row of rows) encoder.add(row);
  return encoder.end();
}

type LastRow = Pick<LineageRow, 'id' | 'namespace'> | { readonly ids: string; readonly namespace?: undefined };

/** The ids of rows from `first` on; those of a run are read once somebody asks for a parent. */
interface Ids {
  readonly first: number;
  readonly ids: readonly string[] | string;
  readonly namespaces?: readonly (string | undefined)[];
}

/**
 * Columns as JSON text from rows as they come: none of the rows is kept, and what a store gives as text stays text, so
 * that a tree costs little more than its reading.
 * @example const encoder = new LineageEncoder('run-1'); for await (const row of rows) encoder.add(row); encoder.end();
 */
export class LineageEncoder {
  readonly #task: string;
  #rows: LineageRow[] = [];
  #count = 0;
  #nextSeq = 1;
  #last: LastRow | undefined;
  readonly #places = new Map<string | undefined, Map<string, number>>();
  #unplaced: Ids[] = [];
  /** A number: so many nulls. */
  readonly #namespaces: (string | number)[] = [];
  #hasNamespaces = false;
  readonly #ids: string[] = [];
  readonly #times: string[] = [];
  readonly #steps: string[] = [];
  readonly #descriptions: string[] = [];
  #kinds = '';
  #statuses = '';
  readonly #parents: LineageColumns['parents'][number][] = [];
  readonly #seqs: (readonly [row: number, seq: number])[] = [];
  readonly #latest: number[] = [];
  readonly #problems: NonNullable<LineageColumns['problems']>[number][] = [];

  constructor(task: string) {
    this.#task = task;
  }

  add(row: LineageRow): void {
    if (this.#rows.push(row) >= BATCH) this.#addRows();
  }

  addPart(part: LineagePart): void {
    if ('rows' in part) for (const row of part.rows) this.add(row);
    else if (part.count > 0) this.#addRun(part);
  }

  /** JSON text of `LineageColumns`. */
  end(): string {
    this.#addRows();
    const namespaces = this.#namespaces.map((part) => (typeof part === 'string' ? part : nulls(part)));
    // Joined once: each text that is made of these copies them all.
    return [
      `{"task":${JSON.stringify(this.#task)}`,
      ...listOf('ids', this.#ids),
      ...(this.#hasNamespaces ? listOf('namespaces', namespaces) : []),
      `"kinds":"${this.#kinds}"`,
      `"parents":${JSON.stringify(this.#parents)}`,
      `"statuses":"${this.#statuses}"`,
      ...listOf('times', this.#times),
      ...(this.#seqs.length > 0 ? [`"seqs":${JSON.stringify(this.#seqs)}`] : []),
      ...listOf('steps', this.#steps),
      ...listOf('descriptions', this.#descriptions),
      ...(this.#problems.length > 0 ? [`"problems":${JSON.stringify(this.#problems)}`] : []),
      `"latest":${JSON.stringify(this.#latest)}}`,
    ].join(',');
  }

  #addRows(): void {
    const rows = this.#rows;
    const first = this.#count;
    if (rows.length === 0) return;
    this.#rows = [];
    const ids = rows.map(({ id }) => id);
    const namespaces = rows.map(({ namespace }) => namespace);
    this.#unplaced.push({ first, ids, namespaces });
    for (const [at, row] of rows.entries()) this.#addRow(row, first + at);
    const hasNamespaces = namespaces.some((namespace) => namespace !== undefined);
    this.#hasNamespaces ||= hasNamespaces;
    this.#namespaces.push(hasNamespaces ? inner(JSON.stringify(namespaces)) : rows.length);
    this.#ids.push(inner(JSON.stringify(ids)));
    this.#times.push(inner(JSON.stringify(rows.map(({ time }) => time))));
    this.#steps.push(inner(JSON.stringify(rows.map(({ stepIndex }) => stepIndex))));
    this.#descriptions.push(inner(JSON.stringify(rows.map(({ description }) => description))));
    this.#count += rows.length;
  }

  #addRow(row: LineageRow, at: number): void {
    const { parent, kind } = row;
    if (parent === undefined) {
      if (kind !== 'none' && at > 0) this.#parents.push([at, null]);
    } else if (kind === 'none' || !this.#isLast(parent)) {
      this.#parents.push([at, this.#placeOf(parent) ?? parent]);
    }
    this.#kinds += LETTERS[kind];
    this.#statuses += row.status.charAt(0);
    this.#countOn(row.seq, at, 1);
    if (row.isLatest) this.#latest.push(at);
    if (row.problem !== undefined) this.#problems.push([at, row.problem]);
    this.#last = row;
  }

  #addRun(run: LineageRun): void {
    this.#addRows();
    const { count, ids, latest } = run;
    const first = this.#count;
    this.#unplaced.push({ first, ids });
    this.#kinds += this.#kindsOf(run);
    this.#statuses += run.statuses;
    this.#countOn(first + 1, first, count);
    if (latest !== undefined) this.#latest.push(first + latest);
    this.#last = { ids };
    this.#namespaces.push(count);
    this.#ids.push(inner(ids));
    this.#times.push(inner(run.times));
    this.#steps.push(inner(run.steps));
    this.#descriptions.push(inner(run.descriptions));
    this.#count += count;
  }

  /** The first row of a run has no row before it if that is of another namespace. */
  #firstKind(letter: 'r' | 'i'): string {
    return this.#last !== undefined && this.#last.namespace === undefined ? letter : 'n';
  }

  /** A parent that is not the row before goes by its ref: looking for its row would read the ids of all. */
  #kindsOf({ count, ids, parents }: LineageRun): string {
    if (parents === undefined) return this.#firstKind('r') + 'r'.repeat(count - 1);
    const own = textsIn(ids);
    const first = this.#count;
    return textsIn(parents)
      .map((id, at) => {
        if (id === null) return at === 0 ? this.#firstKind('i') : 'i';
        const parent = { task: this.#task, id };
        if (at === 0 ? !this.#isLast(parent) : id !== own[at - 1]) this.#parents.push([first + at, parent]);
        return 'r';
      })
      .join('');
  }

  #countOn(seq: number, at: number, count: number): void {
    if (seq !== this.#nextSeq) this.#seqs.push([at, seq]);
    this.#nextSeq = seq + count;
  }

  #isLast({ task, namespace, id }: CheckpointRef): boolean {
    if (this.#last === undefined || task !== this.#task) return false;
    const last = this.#lastKey(this.#last);
    return id === last.id && namespace === last.namespace;
  }

  /** The id of a run's last row is in its text: it is looked up once. */
  #lastKey(last: LastRow): Pick<LineageRow, 'id' | 'namespace'> {
    if ('id' in last) return last;
    const key = { id: textsIn(last.ids).at(-1) ?? '' };
    this.#last = key;
    return key;
  }

  #placeOf({ task, namespace, id }: CheckpointRef): number | undefined {
    if (task !== this.#task) return undefined;
    for (const part of this.#unplaced) this.#placeIds(part);
    this.#unplaced = [];
    return this.#places.get(namespace)?.get(id);
  }

  #placeIds({ first, ids, namespaces }: Ids): void {
    for (const [at, id] of (typeof ids === 'string' ? textsIn(ids) : ids).entries()) {
      const namespace = namespaces?.[at];
      const places = this.#places.get(namespace) ?? new Map<string, number>();
      if (places.size === 0) this.#places.set(namespace, places);
      if (id !== null && !places.has(id)) places.set(id, first + at);
    }
  }
}

const textsIn = (json: string): readonly (string | null)[] => JSON.parse(json) as (string | null)[];
const inner = (list: string): string => list.slice(1, -1);
function listOf(name: string, parts: readonly string[]): string[] {
  const list = parts.length === 0 ? [''] : [...parts];
  list[0] = `"${name}":[${list[0] ?? ''}`;
  list[list.length - 1] += ']';
  return list;
}
const nulls = (count: number): string => 'null,'.repeat(count).slice(0, -1);

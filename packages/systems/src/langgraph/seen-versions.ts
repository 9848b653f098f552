import { isRecord } from '../folder/view.ts';
import { msgpackSeenAt } from './msgpack/peek.ts';
import type { Key, Queries, RowOutline } from './queries.ts';
import { nodesThatRan, parseLoosely, seenOf, type VersionsSeen } from './shape.ts';

/** Rows that are remembered before all are forgotten. */
const CACHE_SIZE = 2_000;
/** Of one unit of a text. */
const MAX_BYTES = 3;

/** Which versions the nodes of a thread had seen at each checkpoint, from the ends of the rows. */
export class SeenVersions {
  readonly #queries: Queries;
  readonly #thread: string;
  /** By namespace and id: a tree has many rows, and a text for both of each costs. */
  readonly #known = new Map<string, Map<string, VersionsSeen | undefined>>();
  #size = 0;

  constructor(queries: Queries, thread: string) {
    this.#queries = queries;
    this.#thread = thread;
  }

  /** What `ran` needs of these rows. */
  async learn(rows: readonly RowOutline[]): Promise<void> {
    if (this.#size >= CACHE_SIZE) this.#known.clear();
    if (this.#known.size === 0) this.#size = 0;
    const further: Key[] = [];
    for (const row of rows) {
      const seen = row.end === null ? undefined : versionsSeenAt(row.end);
      this.#remember(row, seen);
      if (seen === undefined && mayBeCut(row)) further.push(row);
    }
    for (const { ns, parent: id } of rows)
      if (id !== null && this.#known.get(ns)?.has(id) !== true) {
        this.#remember({ ns, id }, undefined);
        further.push({ ns, id });
      }
    const ends = further.length === 0 ? [] : await this.#queries.ends(this.#thread, further);
    for (const [at, key] of further.entries()) {
      const end = ends[at];
      this.#remember(key, end && versionsSeenAt(end));
    }
  }

  #remember({ ns, id }: Key, seen: VersionsSeen | undefined): void {
    const own = this.#known.get(ns) ?? new Map<string, VersionsSeen | undefined>();
    this.#known.set(ns, own.set(id, seen));
    this.#size++;
  }

  /** The nodes that made a row, each once, with commas; absent where the ends do not tell. */
  ran(row: RowOutline): string | undefined {
    const own = this.#known.get(row.ns);
    const seen = own?.get(row.id);
    const before = row.parent === null ? {} : own?.get(row.parent);
    const ran = seen && before ? nodesThatRan(seen, before) : [];
    return ran.length > 0 ? ran.join(', ') : undefined;
  }
}

export const keyText = ({ id, ns }: Key): string => `${id} ${ns}`;

const mayBeCut = ({ end, window }: RowOutline): boolean =>
  end !== null && window !== undefined && end.length >= window / MAX_BYTES;

const NAME = '"versions_seen"';

/** From the end of the text, where LangGraph writes it; where its braces do not close there it is another object. */
export function versionsSeenAt(end: string | Uint8Array): VersionsSeen | undefined {
  // As msgpack first: there the name in quotes is only a part of some value.
  return (
    (typeof end === 'string' ? undefined : orNothing(() => msgpackSeenAt(end))) ?? orNothing(() => inText(asText(end)))
  );
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function inText(text: string): VersionsSeen | undefined {
  const at = text.lastIndexOf(NAME);
  if (at < 0) return undefined;
  const value = parseLoosely(`{${text.slice(at)}`);
  return isRecord(value) ? seenOf(value['versions_seen']) : undefined;
}

export const asText = (part: string | Uint8Array): string =>
  typeof part === 'string' ? part : Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('utf8');

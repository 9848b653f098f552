import { isRecord } from '../folder/view.ts';
import { msgpackSeenAt } from './msgpack/peek.ts';
import type { Key, Queries, RowOutline } from './queries.ts';
import { nodesThatRan, parseLoosely, seenOf, type VersionsSeen } from './shape.ts';

const KEPT = 2_000;
/** Of one unit of a text. */
const MOST_BYTES = 3;

/** Which versions the nodes of a thread had seen at each checkpoint, from the ends of the rows. */
export class SeenVersions {
  readonly #queries: Queries;
  readonly #thread: string;
  readonly #known = new Map<string, Map<string, VersionsSeen | undefined>>();
  #size = 0;

  constructor(queries: Queries, thread: string) {
    this.#queries = queries;
    this.#thread = thread;
  }

  /** Each once, with commas; absent where the ends do not tell. */
  wordsThatRan(row: RowOutline): string | undefined {
    const seen = this.#remember(row, row.end) ?? this.#further(row);
    const before = row.parent === null ? {} : this.at({ ns: row.ns, id: row.parent });
    const ran = seen && before ? nodesThatRan(seen, before) : [];
    return ran.length > 0 ? ran.join(', ') : undefined;
  }

  at(key: Key): VersionsSeen | undefined {
    const known = this.#known.get(key.ns);
    if (known?.has(key.id) === true) return known.get(key.id);
    return this.#remember(key, this.#queries.end(this.#thread, key) ?? null);
  }

  /** Of a row whose end may have been cut short. */
  #further({ ns, id, end, window }: RowOutline): VersionsSeen | undefined {
    if (end === null || window === undefined || end.length < window / MOST_BYTES) return undefined;
    return this.#remember({ ns, id }, this.#queries.end(this.#thread, { ns, id }) ?? null);
  }

  #remember({ ns, id }: Key, end: RowOutline['end']): VersionsSeen | undefined {
    const seen = end === null ? undefined : versionsSeenAt(end);
    if (this.#size >= KEPT) this.#known.clear();
    if (this.#known.size === 0) this.#size = 0;
    const own = this.#known.get(ns) ?? new Map<string, VersionsSeen | undefined>();
    this.#known.set(ns, own.set(id, seen));
    this.#size += 1;
    return seen;
  }
}

const NAME = '"versions_seen"';

/** From the end of the text, where LangGraph writes it; where its braces do not close there it is another object. */
function versionsSeenAt(end: string | Uint8Array): VersionsSeen | undefined {
  // As msgpack first: there the name in quotes is only a part of some value.
  return (
    (typeof end === 'string' ? undefined : orNothing(() => msgpackSeenAt(end))) ?? orNothing(() => inText(asText(end)))
  );
}

export function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function inText(text: string): VersionsSeen | undefined {
  const at = text.lastIndexOf(NAME);
  if (at < 0) return undefined;
  const last = lastMember(text, at + NAME.length);
  if (last !== undefined) return seenOf(last);
  const value = parseLoosely(`{${text.slice(at)}`);
  return isRecord(value) ? seenOf(value['versions_seen']) : undefined;
}

/** The value alone, where it is the last member: JSON.parse needs no copy of it. */
function lastMember(text: string, from: number): unknown {
  if (!text.endsWith('}}') || text.charAt(from) !== ':') return undefined;
  return orNothing(() => JSON.parse(text.slice(from + 1, -1)) as unknown);
}

export const asText = (part: string | Uint8Array): string =>
  typeof part === 'string' ? part : Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('utf8');

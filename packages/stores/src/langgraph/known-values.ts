/** Channel values as JSON values; what a checkpoint has in common with the one before is the same object in both. */
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';

/** Entries of an array that follow each other, without its brackets. */
interface Run {
  readonly json: Buffer;
  readonly values: readonly unknown[];
}

interface Known {
  readonly json: Buffer;
  readonly value: unknown;
  /** Of an array. */
  readonly runs?: readonly Run[];
}

type Values = Readonly<Record<string, unknown>>;
type Channels = ReadonlyMap<string, Known>;

/** Of the JSON that is kept. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The values that each thread saved last, of as many threads as there is space for. */
export class KnownValues {
  readonly #threads = new Map<string, Channels>();
  #bytes = 0;

  /**
   * `undefined` for what isn't the JSON of its channels, one by one: then the serializer is asked for all at once.
   * Every channel is written before anything is awaited, so that all are of one moment.
   */
  async read(serde: SerializerProtocol, thread: string, values: Values): Promise<Values | undefined> {
    const written = Object.entries(values).map(
      async ([name, value]) => [name, await serde.dumpsTyped({ value })] as const,
    );
    const before = this.#threads.get(thread);
    const channels = new Map<string, Known>();
    for (const [name, [type, bytes]] of await Promise.all(written)) {
      // A function or a symbol: the serializer writes nothing of it.
      if (type === 'json' && bytes.length === NOTHING) continue;
      const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      if (type !== 'json' || !json.subarray(0, START.length).equals(START)) return undefined;
      channels.set(name, known(json.subarray(START.length, -1), before?.get(name)));
    }
    this.#keep(thread, channels);
    return Object.fromEntries(Array.from(channels, ([name, { value }]) => [name, value]));
  }

  forget(thread: string): void {
    this.#bytes -= bytesOf(this.#threads.get(thread));
    this.#threads.delete(thread);
  }

  #keep(thread: string, channels: Channels): void {
    this.forget(thread);
    this.#threads.set(thread, channels);
    this.#bytes += bytesOf(channels);
    for (const oldest of this.#threads.keys()) {
      if (this.#bytes <= MAX_BYTES || this.#threads.size === 1) return;
      this.forget(oldest);
    }
  }
}

/** The length of `{}`. */
const NOTHING = 2;
const START = Buffer.from('{"value":');
const [BRACKET, COMMA] = Buffer.from('[,');

const bytesOf = (channels: Channels | undefined): number =>
  [...(channels?.values() ?? [])].reduce((sum, { json }) => sum + json.length, 0);

/** Compares bytes, which is twenty times faster than to read them. */
function known(json: Buffer, before: Known | undefined): Known {
  if (before?.json.equals(json)) return before;
  if (json[0] !== BRACKET || json.length === 2) return { json, value: JSON.parse(json.toString()) };
  const runs: Run[] = [];
  let at = 1;
  for (const run of before?.runs ?? []) {
    const end = at + run.json.length;
    // An entry ends there: a number could go on.
    const isEnd = json[end] === COMMA || end === json.length - 1;
    if (!isEnd || !json.subarray(at, end).equals(run.json)) break;
    runs.push(run);
    at = end + 1;
  }
  // A copy: a part would keep all of it in memory.
  const rest = Buffer.from(json.subarray(at, -1));
  if (rest.length > 0) runs.push({ json: rest, values: JSON.parse(`[${rest.toString()}]`) as unknown[] });
  return { json, value: runs.flatMap(({ values }) => values), runs };
}

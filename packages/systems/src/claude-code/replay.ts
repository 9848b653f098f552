import {
  InspectorError,
  memberOf,
  parseJson,
  quoteJson,
  sourceOf,
  stringOf,
  type JsonObject,
} from '@checkpoint-inspector/core';
import { joined, type Line, type Replay } from '../log/index.ts';

/** Where the conversation was, of its last line. */
const FIELDS = ['sessionId', 'agentId', 'cwd', 'gitBranch', 'version'];

interface Place {
  readonly uuid: string;
  /** What it follows in the conversation. */
  readonly before: Place | undefined;
  /** The line before it in the file. */
  readonly earlier: Place | undefined;
  /** Of a user or the model; absent for other lines in the chain. */
  readonly message: string | undefined;
}

interface Stored {
  readonly text: string;
  readonly node: JsonObject;
}

/** The messages on the way from the root to a line. A line only follows lines before it, so no chain has a circle. */
export class TranscriptReplay implements Replay {
  /** Copies share what they have read: each line points to the one before it. */
  #last: Place | undefined;
  #line: Stored | undefined;
  /** By id; made when it is asked for, because most copies never are. */
  #places: Map<string, Place> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  copy(): TranscriptReplay {
    const copy = new TranscriptReplay();
    copy.#last = this.#last;
    copy.#line = this.#line;
    copy.#size = this.#size;
    return copy;
  }

  line({ bytes }: Pick<Line, 'bytes'>): void {
    const stored = storedIn(bytes);
    const uuid = stored && textAt(stored, 'uuid');
    if (!stored || uuid === undefined) return;
    const places = (this.#places ??= placesTo(this.#last));
    const parent = textAt(stored, 'parentUuid');
    const before = parent === undefined ? undefined : places.get(parent);
    const place = { uuid, before, earlier: this.#last, message: messageIn(stored) };
    places.set(uuid, place);
    this.#size += place.message?.length ?? 0;
    this.#last = place;
    this.#line = stored;
  }

  text(): string {
    const messages: string[] = [];
    for (let place = this.#last; place; place = place.before) if (place.message) messages.push(place.message);
    const line = this.#line;
    const fields = FIELDS.flatMap((key) => {
      const value = line && memberOf(line.node, key)?.value;
      return value ? [`${quoteJson(key)}:${sourceOf(line.text, value)}`] : [];
    });
    return joined(`{${[...fields, '"messages":['].join(',')}`, messages.toReversed(), ']}');
  }
}

/** The last line with an id is the one that is meant by it. */
function placesTo(last: Place | undefined): Map<string, Place> {
  const places = new Map<string, Place>();
  for (let place = last; place; place = place.earlier) if (!places.has(place.uuid)) places.set(place.uuid, place);
  return places;
}

function storedIn(bytes: Buffer): Stored | undefined {
  const text = bytes.toString();
  try {
    const node = parseJson(text);
    return node.kind === 'object' ? { text, node } : undefined;
  } catch (error) {
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

function textAt({ text, node }: Stored, key: string): string | undefined {
  const value = memberOf(node, key)?.value;
  return value?.kind === 'string' ? stringOf(text, value) : undefined;
}

function messageIn(stored: Stored): string | undefined {
  const type = textAt(stored, 'type');
  const message = type === 'user' || type === 'assistant' ? memberOf(stored.node, 'message')?.value : undefined;
  return message?.kind === 'object' ? sourceOf(stored.text, message) : undefined;
}

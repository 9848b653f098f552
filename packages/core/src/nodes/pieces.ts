import { markOf } from './cut.ts';
import { scalarText } from './measure.ts';
import { Container, Long, type Piece, type SharedNode, type SharedValue } from './types.ts';

/** The body of a node as it is written: texts, and references between them. */
export class Pieces {
  readonly #pieces: Piece[] = [];
  #text = '';
  /** The same with the hashes of what is referred to. */
  #contents = '';

  text(text: string): this {
    this.#text += text;
    return this;
  }

  node(node: SharedNode): this {
    if (this.#text !== '') this.#pieces.push(this.#text);
    this.#contents += `${this.#text}\u001f${node.hash};`;
    this.#text = '';
    this.#pieces.push(node);
    return this;
  }

  contents(): string {
    return this.#contents + this.#text;
  }

  /** @param contents the same as one string already, which is not put together again where nothing is referred to */
  end(contents: string): readonly Piece[] {
    if (this.#pieces.length === 0) return [contents];
    return this.#text === '' ? this.#pieces : [...this.#pieces, this.#text];
  }
}

type Entries = Pick<Container, 'values' | 'keys'>;

/** A value as it is written in what it is in. */
export function write(to: Pieces, value: SharedValue): Pieces {
  const node = nodeOf(value);
  if (node) return to.node(node);
  if (value instanceof Container) return writeFramed(to, value);
  return value instanceof Long ? to.node(value.node) : to.text(scalarText(value));
}

export function writeFramed(to: Pieces, container: Entries): Pieces {
  const [open, close] = container.keys === undefined ? ['[', ']'] : ['{', '}'];
  return writeEntries(to.text(open), container, 0, container.values.length).text(close);
}

export function writeEntries(to: Pieces, { values, keys }: Entries, from: number, end: number): Pieces {
  for (let at = from; at < end; at++) {
    if (at > from) to.text(',');
    if (keys !== undefined) to.text(`${JSON.stringify(keys[at] ?? '')}:`);
    write(to, values[at] ?? null);
  }
  return to;
}

export const nodeOf = (value: SharedValue): SharedNode | undefined =>
  value instanceof Container || value instanceof Long ? value.node : undefined;

/** 32 bits of a hash that decide where to cut. */
export const markOfHash = (hash: string): number => Number.parseInt(hash.slice(0, 8), 16);

export function markOfValue(value: SharedValue): number {
  const node = nodeOf(value);
  return node ? markOfHash(node.hash) : markOf(write(new Pieces(), value).contents());
}

import type { Event } from './events.ts';
import type { Leaf } from './leaf.ts';
import type { Line } from './passages.ts';
import type { Place } from './place.ts';
import type { Reading } from './readings.ts';
import { joined, numbersIn } from './values.ts';

/** A line of what a step read. */
class Row {
  readonly text: string;
  /** Its words, so that a name is found as a whole. */
  readonly words: string;
  #numbers: ReadonlySet<number> | undefined;

  constructor({ text, tokens }: Line) {
    this.text = text;
    this.words = ` ${tokens.words.join(' ')} `;
  }

  /** Digits of the name that it begins with are no figures. */
  get numbers(): ReadonlySet<number> {
    return (this.#numbers ??= new Set(numbersIn(this.text.slice(this.text.indexOf(':') + 1))));
  }
}

/** All that a step read, line by line, and what is in any of these lines. */
class Lines {
  readonly all: readonly Row[];
  #words: string | undefined;
  #numbers: ReadonlySet<number> | undefined;

  constructor(all: readonly Row[]) {
    this.all = all;
  }

  get words(): string {
    return (this.#words ??= this.all.map(({ words }) => words).join('\n'));
  }

  get numbers(): ReadonlySet<number> {
    return (this.#numbers ??= new Set(this.all.flatMap(({ numbers }) => [...numbers])));
  }
}

const known = new WeakMap<Reading, Lines>();
const MOST_LINES = 400;
/** Two entries may well have the same. */
const DATE = /^\d{1,4}[-/.]\d\d?[-/.]\d/;

/** The line about another entry in which the step read this value, where it read something else of this one. */
export function misplacedIn(event: Event, reading: Reading | undefined): string | undefined {
  const { after } = event;
  if (reading === undefined || after === undefined || !isSpecific(after, reading)) return undefined;
  const own = event.names.length > 0 ? event.place.spokenName : joined(String(event.place.step));
  if (own === '') return undefined;
  const read = linesOf(reading);
  // Most values are in none of them.
  if (!holds(read, after)) return undefined;
  const lines = read.all;
  const [other, ...more] = lines.filter((line) => holds(line, after));
  if (other === undefined || more.length > 0 || !isAboutOne(other, reading, event.place)) return undefined;
  const mine = lines.filter(({ words }) => words.includes(` ${own} `));
  if (mine.length === 0 || mine.some((line) => holds(line, after))) return undefined;
  return other.text;
}

/** Nothing that comes up everywhere, as small numbers and statuses do, and no name of an entry, which others may bear. */
function isSpecific(leaf: Leaf, { about }: Reading): boolean {
  const { kind, number, value } = leaf;
  if (number !== undefined)
    return value.replaceAll(/\D/g, '').replace(/^0+/, '').length >= 3 && !about.has(leaf.joined);
  return (
    kind === 'string' && value.length >= 4 && /\d|\S\s+\S/.test(value) && !DATE.test(value) && !about.has(leaf.joined)
  );
}

/** A line that says nothing but the value may belong to any entry. */
const isAboutOne = ({ words }: Row, { about }: Reading, { spoken }: Place): boolean =>
  [...about.keys()].some((name) => words.startsWith(` ${name} `) && !spoken.includes(name));

const holds = (one: Pick<Row, 'words' | 'numbers'>, { number, joined: value }: Leaf): boolean =>
  number === undefined ? one.words.includes(` ${value} `) : one.numbers.has(number);

function linesOf(reading: Reading): Lines {
  const found = known.get(reading);
  if (found) return found;
  const lines = reading.lines.filter(({ text }) => text.trim() !== '').slice(0, MOST_LINES);
  const made = new Lines(lines.map((line) => new Row(line)));
  known.set(reading, made);
  return made;
}

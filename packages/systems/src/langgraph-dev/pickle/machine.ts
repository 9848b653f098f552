/** The stack, the marks and the memo that a pickle is read with. All of them are bounded; nothing on them is run. */
import { InspectorError } from '@checkpoint-inspector/core';
import { Dict, Inert, type Pickled } from './value.ts';

/** A file has some eight bytes for each opcode: these are enough for 64 MB. */
const MOST_OPCODES = 8_000_000;
/** Python sets members by the thousand; nothing else is long on the stack. */
const MOST_ON_STACK = 100_000;
const MOST_MARKS = 1_000;

export function damagedPickle(what: string, at: number): InspectorError {
  return new InspectorError('unreadable', `The pickle ${what} at byte ${at}.`, { data: { offset: at } });
}

const tooLarge = (what: string): InspectorError => new InspectorError('too_large', `The pickle has more than ${what}.`);

export class Machine {
  readonly #bytes: Uint8Array;
  readonly #stack: Pickled[] = [];
  readonly #marks: number[] = [];
  readonly #memo = new Map<number, Pickled>();
  readonly view: DataView;
  at = 0;
  opcodes = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  opcode(): number {
    if (++this.opcodes > MOST_OPCODES) throw tooLarge(`${MOST_OPCODES.toLocaleString('en')} opcodes`);
    return this.view.getUint8(this.skip(1));
  }

  /** Steps over so many bytes, and says where they began. */
  skip(size: number): number {
    const start = this.at;
    if (size > this.#bytes.length - start) throw damagedPickle('ends too early', this.#bytes.length);
    this.at += size;
    return start;
  }

  take(size: number): Uint8Array {
    const start = this.skip(size);
    return this.#bytes.subarray(start, start + size);
  }

  /** Up to the next line break, which is stepped over. */
  line(): string {
    const end = this.#bytes.indexOf(0x0a, this.at);
    if (end === -1 || end - this.at > 1_000) throw damagedPickle('has a name that does not end', this.at);
    const start = this.at;
    this.at = end + 1;
    return Buffer.from(this.#bytes.subarray(start, end)).toString('latin1');
  }

  push(value: Pickled): void {
    if (this.#stack.length >= MOST_ON_STACK)
      throw tooLarge(`${MOST_ON_STACK.toLocaleString('en')} values on its stack`);
    this.#stack.push(value);
  }

  pop(): Pickled {
    const value = this.#stack.length > (this.#marks.at(-1) ?? 0) ? this.#stack.pop() : undefined;
    if (value === undefined) throw damagedPickle('takes a value that is missing', this.at);
    return value;
  }

  /** The last so many values, in the order in which they came. */
  popMany(count: number): Pickled[] {
    return Array.from({ length: count }, () => this.pop()).reverse();
  }

  /** The value on top, which stays there. */
  top(): Pickled {
    const value = this.pop();
    this.#stack.push(value);
    return value;
  }

  mark(): void {
    if (this.#marks.length >= MOST_MARKS) throw tooLarge(`${MOST_MARKS.toLocaleString('en')} marks`);
    this.#marks.push(this.#stack.length);
  }

  /** All values since the last mark. */
  popMarked(): Pickled[] {
    const from = this.#marks.pop();
    if (from === undefined) throw damagedPickle('looks for a mark that is missing', this.at);
    return this.#stack.splice(from);
  }

  remember(index: number = this.#memo.size): void {
    this.#memo.set(index, this.top());
  }

  recall(index: number): void {
    const value = this.#memo.get(index);
    if (value === undefined) throw damagedPickle(`recalls ${index}, which it has not remembered,`, this.at);
    this.push(value);
  }

  /** Sets pairs of keys and values in the dict on top. */
  setItems(items: readonly Pickled[]): void {
    const into = this.top();
    if (into instanceof Inert) return;
    if (!(into instanceof Dict) || items.length % 2 !== 0)
      throw damagedPickle('sets members of something else', this.at);
    for (let at = 0; at + 1 < items.length; at += 2) into.entries.push([items[at] ?? null, items[at + 1] ?? null]);
  }

  /** Adds to the list on top. */
  addItems(items: readonly Pickled[]): void {
    const into = this.top();
    if (into instanceof Inert) return;
    if (!Array.isArray(into)) throw damagedPickle('adds items to something else', this.at);
    for (const item of items) into.push(item);
  }

  /** The last value, when nothing else is left. */
  result(): Pickled {
    const value = this.pop();
    if (this.#stack.length > 0 || this.#marks.length > 0) throw damagedPickle('ends with values left over', this.at);
    return value;
  }

  refuse(code: number): InspectorError {
    return new InspectorError(
      'unsupported_version',
      `The pickle has the opcode ${opcodeName(code)} at byte ${this.at - 1}, which isn't read.`,
      {
        data: { offset: this.at - 1 },
        remedy: 'Nothing in the pickle was executed. Look at the raw bytes.',
      },
    );
  }
}

/** Names of Python's pickle opcodes, for what is refused. Source: Python's `pickletools`, protocols 0 to 5. */
const NAMES: readonly (readonly [first: number, names: string])[] = [
  [0x28, 'MARK EMPTY_TUPLE'],
  [0x2e, 'STOP'],
  [0x30, 'POP POP_MARK DUP'],
  [0x42, 'BINBYTES SHORT_BINBYTES'],
  [0x46, 'FLOAT BINFLOAT'],
  [0x49, 'INT BININT BININT1 LONG BININT2 NONE'],
  [0x50, 'PERSID BINPERSID REDUCE STRING BINSTRING SHORT_BINSTRING UNICODE'],
  [0x58, 'BINUNICODE'],
  [0x5d, 'EMPTY_LIST'],
  [0x61, 'APPEND BUILD GLOBAL DICT APPENDS'],
  [0x67, 'GET BINGET INST LONG_BINGET'],
  [0x6c, 'LIST'],
  [0x6f, 'OBJ PUT BINPUT LONG_BINPUT SETITEM TUPLE SETITEMS'],
  [0x7d, 'EMPTY_DICT'],
  [
    0x80,
    'PROTO NEWOBJ EXT1 EXT2 EXT4 TUPLE1 TUPLE2 TUPLE3 NEWTRUE NEWFALSE LONG1 LONG4 SHORT_BINUNICODE BINUNICODE8 BINBYTES8 EMPTY_SET ADDITEMS FROZENSET NEWOBJ_EX STACK_GLOBAL MEMOIZE FRAME BYTEARRAY8 NEXT_BUFFER READONLY_BUFFER',
  ],
];

const byCode = new Map<number, string>();
for (const [first, names] of NAMES) {
  let code = first;
  for (const name of names.split(' ')) byCode.set(code++, name);
}
const byName = new Map([...byCode].map(([code, name]) => [name, code]));

/** @example opcodeName(0x52) // 'REDUCE' */
export const opcodeName = (code: number): string => byCode.get(code) ?? `0x${code.toString(16).padStart(2, '0')}`;

/** The code of a name in the table. */
export function codeOf(name: string): number {
  const code = byName.get(name);
  if (code === undefined) throw new InspectorError('internal', `No opcode is called ${name}.`);
  return code;
}

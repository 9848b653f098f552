/** JSON text that is being made, as bytes: one text at the end is many times quicker than one for each value. */

const SMALL = 64 * 1024;
/** Kept for the next text; a larger one is not. */
const KEPT = 4 * 1024 * 1024;

let spare: Buffer | undefined;

/** So much of a text is written at once. */
const PIECE = 4096;

const HEX = Buffer.from('0123456789abcdef');
/** The highest bit of each of four bytes. */
const HIGH = 0x8080_8080;
const [QUOTE, BACKSLASH, ZERO] = [0x22, 0x5c, 0x30];
/** Control characters that have a letter of their own: \b \t \n \f \r. */
const LETTERS = new Map(Array.from('\b\t\n\f\r', (sign, n) => [sign.charCodeAt(0), 'btnfr'.charCodeAt(n)]));

export class Output {
  #bytes = spare ?? Buffer.allocUnsafe(SMALL);
  #view = viewOf(this.#bytes);
  #isAscii = true;
  /** How many bytes there are. What is after them may be written over. */
  size = 0;

  constructor() {
    spare = undefined;
  }

  /** The text from here on, which is then no part of the output any longer. */
  take(from: number): string {
    const text = this.#bytes.toString(this.#isAscii ? 'latin1' : 'utf8', from, this.size);
    this.size = from;
    return text;
  }

  /** The output is not used again. */
  done(): void {
    if (this.#bytes.length <= KEPT) spare = this.#bytes;
  }

  /** A copy of a part. */
  part(from: number, to: number): Buffer {
    return Buffer.from(this.#bytes.subarray(from, to));
  }

  byte(value: number): void {
    if (this.size === this.#bytes.length) this.#grow(1);
    this.#bytes[this.size++] = value;
  }

  /** ASCII only. */
  ascii(text: string): void {
    const { length } = text;
    if (this.size + length > this.#bytes.length) this.#grow(length);
    for (let n = 0; n < length; n++) this.#bytes[this.size++] = text.charCodeAt(n);
  }

  utf8(text: string): void {
    const most = text.length * 3;
    if (this.size + most > this.#bytes.length) this.#grow(most);
    const written = this.#bytes.write(text, this.size, 'utf8');
    if (written !== text.length) this.#isAscii = false;
    this.size += written;
  }

  /** What was written before: of its bytes it is known whether they are ASCII. */
  raw(bytes: Uint8Array): void {
    if (this.size + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.size);
    this.size += bytes.length;
  }

  base64(bytes: Uint8Array): void {
    const length = Math.ceil(bytes.length / 3) * 4;
    if (this.size + length > this.#bytes.length) this.#grow(length);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
    this.size += this.#bytes.write(text, this.size, 'latin1');
  }

  /** Below 256. */
  small(value: number): void {
    if (value >= 100) this.byte(ZERO + Math.trunc(value / 100));
    if (value >= 10) this.byte(ZERO + (Math.trunc(value / 10) % 10));
    this.byte(ZERO + (value % 10));
  }

  /** UTF-8 in quotes. `false` where a byte is not ASCII: whether these bytes are UTF-8 is then still to be seen. */
  quoted(source: DataView, start: number, end: number): boolean {
    let all = 0;
    this.byte(QUOTE);
    for (let from = start; from < end; from += PIECE) all |= this.#escaped(source, from, Math.min(end, from + PIECE));
    this.byte(QUOTE);
    if ((all & HIGH) === 0) return true;
    this.#isAscii = false;
    return false;
  }

  /** @returns all bits that were set in some byte */
  #escaped(source: DataView, start: number, end: number): number {
    // A control character takes six bytes.
    const most = (end - start) * 6;
    if (this.size + most > this.#bytes.length) this.#grow(most);
    const view = this.#view;
    let [at, n, all] = [this.size, start, 0];
    while (n < end) {
      const four = n + 4 <= end ? source.getInt32(n) : 0;
      if (n + 4 <= end && !needsEscape(four)) {
        view.setInt32(at, four);
        all |= four;
        at += 4;
        n += 4;
        continue;
      }
      const stop = Math.min(n + 4, end);
      for (; n < stop; n++) {
        const byte = source.getUint8(n);
        all |= byte;
        if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) view.setUint8(at++, byte);
        else at = escaped(view, at, byte);
      }
    }
    this.size = at;
    return all;
  }

  #grow(more: number): void {
    const bytes = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.size + more));
    this.#bytes.copy(bytes, 0, 0, this.size);
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Whether one of four bytes is below 0x20, a quote or a backslash: all four are looked at in one step. */
function needsEscape(four: number): boolean {
  const quote = four ^ 0x2222_2222;
  const backslash = four ^ 0x5c5c_5c5c;
  const found =
    ((four - 0x2020_2020) & ~four) | ((quote - 0x0101_0101) & ~quote) | ((backslash - 0x0101_0101) & ~backslash);
  return (found & HIGH) !== 0;
}

function escaped(view: DataView, start: number, byte: number): number {
  const letter = byte === QUOTE || byte === BACKSLASH ? byte : LETTERS.get(byte);
  view.setUint8(start, BACKSLASH);
  if (letter !== undefined) {
    view.setUint8(start + 1, letter);
    return start + 2;
  }
  view.setUint8(start + 1, 0x75);
  view.setUint16(start + 2, 0x3030);
  view.setUint8(start + 4, HEX.readUInt8(byte >> 4));
  view.setUint8(start + 5, HEX.readUInt8(byte & 0x0f));
  return start + 6;
}

/** A float as Python's `repr` and its JSON writer have it: always told from an integer. @example pythonFloat(1) // '1.0' */
export function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  // The shortest digits are the same in both languages; where the exponent begins is not.
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e16) {
    const plain = String(value);
    return Number.isInteger(value) ? `${plain}.0` : plain;
  }
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

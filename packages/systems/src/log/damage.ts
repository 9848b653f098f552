/** The whole records in a line that two writers, or a lost end, have made of several. */

const [NUL, QUOTE, BACKSLASH, SPACE] = [0, 0x22, 0x5c, 0x20];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
/** A record of these programs begins so; inside a text it would be escaped. */
const BEGINNING = '{"';
const BEFORE_VALUE = Buffer.from(':[,');
const MOST_KEY = 64;
/** So many times the length of a line are looked at to find where a record begins; hostile nesting needs more. */
const MOST_LOOKS = 64;

/** A part of a line: a whole record, or bytes of none. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly isRecord: boolean;
}

/** Behind the object that begins at a byte; -1 where it has no end. Text that was cut off never comes out even. */
function endOfObject(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (byte === OPEN || byte === OPEN_LIST) depth++;
    else if ((byte === CLOSE || byte === CLOSE_LIST) && --depth === 0) return at + 1;
  }
  return -1;
}

/** Cheaper than reading it: true for nearly every line that is one record, never for two that follow each other. */
function looksWhole(bytes: Buffer): boolean {
  if (bytes.at(-1) !== CLOSE || bytes.includes('}{')) return false;
  const own = keyAt(bytes, 0);
  if (own === undefined || bytes.includes(own, 1)) return false;
  for (let at = bytes.indexOf(BEGINNING, 1); at !== -1; at = bytes.indexOf(BEGINNING, at + 1)) {
    if (!BEFORE_VALUE.includes(bytes[at - 1] ?? 0)) return false;
  }
  return true;
}

/** @example keyAt(Buffer.from('{"id":1}'), 0) // '{"id":' */
const keyAt = (bytes: Buffer, at: number): string | undefined =>
  /^\{"\w+":/.exec(bytes.toString('latin1', at, at + MOST_KEY))?.[0];

/** The parts of a line that isn't one object, in order and without a gap; none where it is one, or has no record. */
export function piecesOf(bytes: Buffer): readonly Piece[] {
  if (looksWhole(bytes) || (bytes[0] === OPEN && endOfObject(bytes, 0) === bytes.length)) return [];
  const pieces: Piece[] = [];
  for (let at = 0; at < bytes.length;) {
    const isNul = bytes[at] === NUL;
    const end = isNul ? endOfNuls(bytes, at) : nextNul(bytes, at);
    if (isNul) pieces.push({ start: at, end, isRecord: false });
    else pieces.push(...piecesIn(bytes.subarray(0, end), at));
    at = end;
  }
  return pieces.some(({ isRecord }) => isRecord) ? pieces : [];
}

/** Whole records from the front, and from the end those that reach to it; what is between them is lost. */
function piecesIn(bytes: Buffer, from: number): Piece[] {
  const front: Piece[] = [];
  let start = from;
  for (;;) {
    const end = bytes[start] === OPEN ? wholeFrom(bytes, start) : -1;
    if (end === -1) break;
    front.push({ start, end, isRecord: true });
    start = end;
    while (bytes[start] === SPACE) start++;
  }
  const back: Piece[] = [];
  let rest = bytes;
  for (let last = lastRecord(rest, start); last !== -1; last = lastRecord(rest, start)) {
    // What comes right before it may be the end of a cut one: an inner object, which begins otherwise.
    const key = keyAt(bytes, last);
    if (back[0] && (key === undefined || key !== keyAt(bytes, back[0].start))) break;
    back.unshift({ start: last, end: rest.length, isRecord: true });
    rest = rest.subarray(0, last);
  }
  const lost: Piece[] = rest.length > start ? [{ start, end: rest.length, isRecord: false }] : [];
  return [...front, ...lost, ...back];
}

/** Where the record begins that reaches to the end: what is nested in another one ends before. */
function lastRecord(bytes: Buffer, from: number): number {
  if (bytes.at(-1) !== CLOSE) return -1;
  let left = MOST_LOOKS * bytes.length;
  for (let at = bytes.indexOf(BEGINNING, from); at !== -1 && left > 0; at = bytes.indexOf(BEGINNING, at + 1)) {
    const end = endOfObject(bytes, at);
    left -= (end === -1 ? bytes.length : end) - at;
    if (end === bytes.length && wholeFrom(bytes, at) === end) return at;
  }
  return -1;
}

function wholeFrom(bytes: Buffer, start: number): number {
  const end = endOfObject(bytes, start);
  if (end === -1) return -1;
  try {
    JSON.parse(bytes.toString('utf8', start, end));
    return end;
  } catch {
    return -1;
  }
}

function endOfNuls(bytes: Buffer, from: number): number {
  let end = from;
  while (bytes[end] === NUL) end++;
  return end;
}

function nextNul(bytes: Buffer, from: number): number {
  const found = bytes.indexOf(NUL, from);
  return found === -1 ? bytes.length : found;
}

/** Why bytes of a line aren't a record, where that can be told from them. */
export function lossWords({ bytes, isLost }: { readonly bytes: Buffer; readonly isLost?: true }): string | undefined {
  const count = `${bytes.length.toLocaleString('en')} ${bytes.length === 1 ? 'byte' : 'bytes'}`;
  if (endOfNuls(bytes, 0) === bytes.length) return `${count} of zeros (NUL): room in the file that was never written.`;
  return isLost && `${count} of a record that was cut off. What is whole on the same line is read.`;
}

/** Binary data inside a JSON string: a `data:` address or base64. */

export interface BlobNote {
  /** Bytes once decoded. */
  readonly bytes: number;
  /** The type that a `data:` address names. */
  readonly mime?: string;
  /** sha256 of the decoded bytes, lower-case hex, where it was worked out. */
  readonly hash?: string;
}

/** Shorter strings are shown as they are. */
const SHORTEST = 256;
const DATA_URL = /"data:([a-z]+(?:\\?\/)[a-z0-9.+-]+)?(?:;[a-z0-9-]+=[a-z0-9.-]+)*;base64,/iy;
const FOREIGN = /[^A-Za-z0-9+/_-]/g;
/** Random bytes show all three within this many digits; words and hex do not. */
const SAMPLE = 192;

/** What the string token at `start`..`end` holds, if it is binary data written in base64. */
export function blobAt(text: string, start: number, end: number): BlobNote | undefined {
  if (end - start < SHORTEST || text.charCodeAt(start) !== 0x22) return undefined;
  DATA_URL.lastIndex = start;
  const head = DATA_URL.exec(text);
  const from = head === null ? start + 1 : start + head[0].length;
  const sample = text.slice(from, from + SAMPLE);
  if (head === null && !(/[a-z]/.test(sample) && /[A-Z]/.test(sample) && /[0-9]/.test(sample))) return undefined;
  const digits = digitsIn(text, from, end - 1);
  if (digits === undefined || (head === null && digits % 4 === 1)) return undefined;
  const mime = head?.[1]?.replace('\\', '').toLowerCase();
  return { bytes: Math.floor((digits * 3) / 4), ...(mime === undefined ? {} : { mime }) };
}

/** Base64 digits without padding, line breaks and escaped slashes; `undefined` for anything else. */
function digitsIn(text: string, from: number, end: number): number | undefined {
  let digits = 0;
  let at = from;
  while (at < end) {
    FOREIGN.lastIndex = at;
    const foreign = Math.min(FOREIGN.exec(text)?.index ?? end, end);
    digits += foreign - at;
    if (foreign === end) return digits;
    const two = text.slice(foreign, foreign + 2);
    if (text[foreign] === '=' && /^={1,2}(?:\\n|\\r)*$/.test(text.slice(foreign, Math.min(end, foreign + 16))))
      return digits;
    if (two !== '\\n' && two !== '\\r' && two !== '\\/') return undefined;
    if (two === '\\/') digits++;
    at = foreign + 2;
  }
  return digits;
}

/** The base64 digits of a string token that `blobAt` knows, without the `data:` head. */
export function blobDigits(source: string): string {
  DATA_URL.lastIndex = 0;
  const head = DATA_URL.exec(source);
  const body = source.slice(head === null ? 1 : head[0].length, -1);
  return body.includes('\\') ? body.replaceAll(/\\[nr]/g, '').replaceAll('\\/', '/') : body;
}

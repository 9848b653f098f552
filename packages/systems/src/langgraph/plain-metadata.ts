/** Metadata as LangGraph writes it of a run without settings of its own: a tree has many of these. */

/** What it says, and where it ends. */
export interface PlainMetadata {
  readonly source: string;
  readonly step: number;
  /** Never: an edit says more. */
  readonly edited: undefined;
  /** Behind it. */
  readonly end: number;
}

/** For JavaScript and for Python. */
const FORMS = ['loop', 'input', 'update', 'fork'].flatMap((source) => [
  { source, first: Buffer.from(`{"source":"${source}","step":`), last: Buffer.from(',"parents":{}}') },
  { source, first: Buffer.from(`{"source": "${source}", "step": `), last: Buffer.from(', "parents": {}}') },
]);
const [MINUS, ZERO, NINE] = [45, 48, 57];
const MOST_DIGITS = 9;

export function plainMetadataAt(bytes: Buffer, from: number): PlainMetadata | undefined {
  for (const { source, first, last } of FORMS) {
    if (isAt(bytes, from, first)) return stepAt(bytes, from + first.length, source, last);
  }
  return undefined;
}

function stepAt(bytes: Buffer, from: number, source: string, rest: Buffer): PlainMetadata | undefined {
  const first = bytes[from] === MINUS ? from + 1 : from;
  let [at, step] = [first, 0];
  for (let code = bytes[at] ?? 0; code >= ZERO && code <= NINE; code = bytes[++at] ?? 0) step = step * 10 + code - ZERO;
  const digits = at - first;
  const isWhole = digits > 0 && digits <= MOST_DIGITS && (digits === 1 || bytes[first] !== ZERO);
  return isWhole && isAt(bytes, at, rest)
    ? { source, step: first === from ? step : -step, edited: undefined, end: at + rest.length }
    : undefined;
}

function isAt(bytes: Buffer, from: number, part: Buffer): boolean {
  for (let at = 0; at < part.length; at++) if (bytes[from + at] !== part[at]) return false;
  return true;
}

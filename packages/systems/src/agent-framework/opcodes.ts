/**
 * Finds the names of classes and functions in a pickle by stepping over its opcodes. Nothing is built, imported or
 * called: strings are remembered, and that is all. Source of the opcode sizes: Python's `pickletools`, protocols 0-5.
 */
type Argument = 'line' | 'two-lines' | { readonly bytes: number } | { readonly length: number };

/** Opcodes with an argument; all others are one byte long. */
const ARGUMENTS: ReadonlyMap<number, Argument> = new Map<number, Argument>([
  ...entries(codesOf('FILPSVgp'), 'line'),
  ...entries(codesOf('ci'), 'two-lines'),
  ...entries([0x4b, 0x68, 0x71, 0x80, 0x82], { bytes: 1 }),
  ...entries([0x4d, 0x83], { bytes: 2 }),
  ...entries([0x4a, 0x6a, 0x72, 0x84], { bytes: 4 }),
  ...entries([0x47, 0x95], { bytes: 8 }),
  ...entries([0x55, 0x43, 0x8a, 0x8c], { length: 1 }),
  ...entries([0x54, 0x42, 0x58, 0x8b], { length: 4 }),
  ...entries([0x8d, 0x8e, 0x96], { length: 8 }),
]);
const PLAIN = new Set(codesOf('().012NQRabd}elosu]t'));
const LAST_PLAIN = 0x98;

const TEXTS = new Set([0x58, 0x8c, 0x8d]);
const MEMOIZE = 0x94;
const FRAME = 0x95;
const STACK_GLOBAL = 0x93;
const PUTS = new Set([0x71, 0x72]);
const GETS = new Set([0x68, 0x6a]);
/** Classes by a number that only the program knows. */
const EXTENSIONS = new Set([0x82, 0x83, 0x84]);
const STOP = 0x2e;

/** A global that is named by something other than two plain strings. */
export const UNKNOWN_GLOBAL = '?';

/** `module:name` of every global that a pickle names, each once; `undefined` where the bytes are not a whole pickle. */
export function pickleGlobals(bytes: Uint8Array): readonly string[] | undefined {
  const found = new Set<string>();
  const memo = new Map<number, string | undefined>();
  let recent: (string | undefined)[] = [];
  let at = 0;
  while (at < bytes.length) {
    const op = bytes[at++] ?? STOP;
    const argument = readArgument(bytes, at, op);
    if (!argument) return undefined;
    const { text, number } = argument;
    at = argument.end;
    if (op === STOP) return [...found];
    if (op === MEMOIZE) memo.set(memo.size, recent.at(-1));
    else if (PUTS.has(op)) memo.set(number, recent.at(-1));
    else if (TEXTS.has(op)) recent.push(text);
    else if (GETS.has(op)) recent.push(memo.get(number));
    else if (op !== FRAME) {
      if (op === STACK_GLOBAL) found.add(globalOf(recent));
      if (EXTENSIONS.has(op)) found.add(UNKNOWN_GLOBAL);
      if (ARGUMENTS.get(op) === 'two-lines') found.add(text);
      recent = [];
    }
  }
  return undefined;
}

function globalOf(recent: readonly (string | undefined)[]): string {
  const [module, name] = recent.slice(-2);
  return module === undefined || name === undefined ? UNKNOWN_GLOBAL : `${module}:${name}`;
}

function readArgument(
  bytes: Uint8Array,
  at: number,
  op: number,
): { readonly end: number; readonly text: string; readonly number: number } | undefined {
  const kind = ARGUMENTS.get(op);
  if (kind === undefined) {
    const known = PLAIN.has(op) || (op >= 0x81 && op <= LAST_PLAIN);
    return known ? { end: at, text: '', number: 0 } : undefined;
  }
  if (kind === 'line' || kind === 'two-lines') return readLines(bytes, at, kind === 'line' ? 1 : 2);
  const size = 'bytes' in kind ? kind.bytes : kind.length;
  const number = littleEndian(bytes, at, size);
  const end = at + size + ('length' in kind ? number : 0);
  if (end > bytes.length) return undefined;
  return { end, number, text: TEXTS.has(op) ? new TextDecoder().decode(bytes.subarray(at + size, end)) : '' };
}

function readLines(bytes: Uint8Array, at: number, lines: number) {
  const parts: string[] = [];
  let end = at;
  for (let line = 0; line < lines; line++) {
    const newline = bytes.indexOf(0x0a, end);
    if (newline === -1) return undefined;
    parts.push(new TextDecoder().decode(bytes.subarray(end, newline)));
    end = newline + 1;
  }
  return { end, text: parts.join(':'), number: 0 };
}

function littleEndian(bytes: Uint8Array, at: number, size: number): number {
  let value = 0;
  for (let index = size - 1; index >= 0; index--) value = value * 256 + (bytes[at + index] ?? 0);
  return value;
}

function entries(ops: readonly number[], argument: Argument): [number, Argument][] {
  return ops.map((op) => [op, argument]);
}

function codesOf(text: string): number[] {
  return Array.from(text, (char) => char.charCodeAt(0));
}

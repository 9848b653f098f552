/** Bytes as lines, without reading more than asked for. */
import { readBounded, readHead, readPieces, readRange } from '@checkpoint-inspector/io';
import { piecesOf } from './damage.ts';
import type { Line, LogFile, LogOptions, LogRules } from './contract.ts';

const LF = 0x0a;
const CR = 0x0d;
const NUL = 0;
const CLOSING = 0x7d;
const MARK = Buffer.from('\uFEFF');

/** Longer lines are told in part: enough to say what they are, never as a record. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Splits pieces that follow each other. What has no line break yet waits for it. A byte order mark isn't a part of
 * the first line; of a line with several records each is told as one, and what is in none of them as lost.
 */
export class LineSplitter {
  readonly #each: (line: Line) => void;
  #waiting: Buffer[] = [];
  #length = 0;
  #at: number;
  #shared = 0;

  constructor(at: number, each: (line: Line) => void) {
    this.#at = at;
    this.#each = each;
  }

  /** Where the next line begins. */
  get at(): number {
    return this.#at;
  }

  /** Bytes behind the last line break. */
  get torn(): number {
    return this.#length;
  }

  /** Lines that hold more than one record. */
  get shared(): number {
    return this.#shared;
  }

  push(piece: Buffer): void {
    let from = 0;
    for (let lf = piece.indexOf(LF); lf !== -1; lf = piece.indexOf(LF, from)) {
      const rest = piece.subarray(from, lf);
      this.#tell(this.#length > 0 ? this.#joined(rest) : rest, this.#at + this.#length + rest.length + 1);
      from = lf + 1;
    }
    if (from < piece.length) this.#wait(piece.subarray(from));
  }

  /** Of a last line without its break, what is whole counts; the rest waits. */
  end(): void {
    if (this.#length === 0 || this.#length > MAX_LINE_BYTES) return;
    const bytes = Buffer.concat(this.#waiting);
    const pieces = piecesOf(bytes);
    const whole = pieces.findLast(({ isRecord, end }) => isRecord || bytes[end - 1] === NUL)?.end;
    if (whole !== undefined) this.#tell(bytes.subarray(0, whole), this.#at + whole);
    else if (isWhole(bytes)) return this.#tell(bytes, this.#at + bytes.length);
    if (whole !== undefined && whole < bytes.length) this.#wait(bytes.subarray(whole));
  }

  #wait(piece: Buffer): void {
    // The piece is used again by who reads, so what waits is copied; of an endless line no more than can be told.
    if (this.#length <= MAX_LINE_BYTES) this.#waiting.push(Buffer.from(piece));
    this.#length += piece.length;
  }

  #joined(rest: Buffer): Buffer {
    return Buffer.concat(this.#length <= MAX_LINE_BYTES ? [...this.#waiting, rest] : this.#waiting);
  }

  #tell(bytes: Buffer, end: number): void {
    const at = this.#at;
    this.#at = end;
    this.#waiting = [];
    this.#length = 0;
    const marked = at === 0 && bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes;
    const line = marked.at(-1) === CR ? marked.subarray(0, -1) : marked;
    if (line.length === 0) return;
    const pieces = line.length > MAX_LINE_BYTES ? [] : piecesOf(line);
    if (pieces.length === 0) return this.#each({ bytes: line, at, end });
    if (pieces.filter(({ isRecord }) => isRecord).length > 1) this.#shared++;
    const from = at + bytes.length - marked.length;
    for (const [index, piece] of pieces.entries()) {
      this.#each({
        bytes: line.subarray(piece.start, piece.end),
        at: index === 0 ? at : from + piece.start,
        end: index === pieces.length - 1 ? end : from + piece.end,
        ...(piece.isRecord ? {} : { isLost: true }),
      });
    }
  }
}

const FIRST_BYTES = 64 * 1024;
const MORE_BYTES = 1024 * 1024;

/**
 * What the first line tells that tells anything, wherever it is; no more of the file is read.
 * @returns undefined where none does, or the file can't be read
 * @example await firstTold(path, ({ bytes }) => (bytes.includes('"uuid"') ? true : undefined))
 */
export async function firstTold<T>(path: string, tell: (line: Line) => T | undefined): Promise<T | undefined> {
  const told: T[] = [];
  const splitter = new LineSplitter(0, (line) => {
    const one = told.length === 0 ? tell(line) : undefined;
    if (one !== undefined) told.push(one);
  });
  for (let at = 0; told.length === 0;) {
    const wanted = at === 0 ? FIRST_BYTES : MORE_BYTES;
    const piece = await readRange(path, at, at + wanted).catch(() => undefined);
    if (piece === undefined) return undefined;
    splitter.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    at += piece.length;
    if (piece.length === wanted) continue;
    splitter.end();
    break;
  }
  return told[0];
}

function isWhole(bytes: Buffer): boolean {
  if (bytes.at(-1) !== CLOSING) return false;
  try {
    JSON.parse(new TextDecoder().decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/** The bytes of logs, compressed ones too. */
export class LogBytes {
  readonly #options: LogOptions;
  readonly #rules: LogRules;
  /** The compressed log that was read last: they are read again and again, and rarely many of them. */
  #decoded: { readonly stamp: string; readonly bytes: Buffer } | undefined;

  constructor(options: LogOptions, rules: LogRules) {
    this.#options = options;
    this.#rules = rules;
  }

  isCompressed(file: LogFile): boolean {
    return this.#rules.codec?.(file.name) !== undefined;
  }

  /** The first bytes; of a compressed log without the rest of it. @throws as pieces */
  async head(file: LogFile, bytes: number): Promise<Buffer> {
    const codec = this.#rules.codec?.(file.name);
    if (!codec?.head) return this.range(file, 0, bytes);
    const stored = await readHead(file.path, bytes);
    this.#options.onRead?.(stored.length, file.path);
    return codec.head(stored, bytes).subarray(0, bytes);
  }

  /** In pieces, each only good during its call. @throws InspectorError not_found | unreadable | too_large */
  async pieces(file: LogFile, range: { start?: number; end?: number }, each: (piece: Buffer) => void): Promise<void> {
    const codec = this.#rules.codec?.(file.name);
    if (codec) return each((await this.#decode(file, codec.decode)).subarray(range.start ?? 0, range.end));
    await readPieces(file.path, range, (piece) => {
      this.#options.onRead?.(piece.length, file.path);
      each(piece);
    });
  }

  /** @throws as pieces */
  async range(file: LogFile, start: number, end: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    await this.pieces(file, { start, end }, (piece) => parts.push(Buffer.from(piece)));
    return Buffer.concat(parts);
  }

  /** Whole lines in a range. @throws as pieces */
  async lines(file: LogFile, start: number, end: number, each: (line: Line) => void, signal?: AbortSignal) {
    const splitter = new LineSplitter(start, each);
    await this.pieces(file, { start, end }, (piece) => {
      signal?.throwIfAborted();
      splitter.push(piece);
    });
    splitter.end();
  }

  async #decode(file: LogFile, decode: (stored: Uint8Array) => Promise<Buffer>): Promise<Buffer> {
    const stamp = `${file.path}\0${file.entry.size}\0${file.entry.mtimeNs}\0${file.entry.ino}`;
    if (this.#decoded?.stamp === stamp) return this.#decoded.bytes;
    const stored = await readBounded(file.path);
    this.#options.onRead?.(stored.length, file.path);
    const bytes = await decode(stored);
    this.#decoded = { stamp, bytes };
    return bytes;
  }
}

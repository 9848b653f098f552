/** The marks of one session: read once, and then only what was added. */
import { InspectorError, type CheckpointRef, type Problem } from '@checkpoint-inspector/core';
import { fileStamp } from '@checkpoint-inspector/io';
import { joinNotes, logNote, type LogPart, type Session } from './catalog.ts';
import { MarkColumns } from './columns.ts';
import type { LogRules, Outline } from './contract.ts';
import { LineSplitter, type LogBytes } from './lines.ts';

/** So many bytes before where a log was read to have to be as they were, or it was written again. */
const CHECKED_BYTES = 256;

/** Finds the mark that a file is based on. */
export type FindBase = (
  part: LogPart,
  marks: MarkColumns,
  session: Session,
) => Promise<CheckpointRef | Problem | undefined>;

/** Where the last file was read to. */
interface Reading {
  readonly outline: Outline;
  readonly splitter: LineSplitter;
  read: number;
  checked: Buffer;
}

export class SessionMarks {
  readonly marks = new MarkColumns();
  /** The parent of a file's first mark, or why none of its states can be read. */
  readonly bases: (CheckpointRef | Problem | undefined)[] = [];
  readonly #bytes: LogBytes;
  readonly #rules: LogRules;
  #parts: readonly LogPart[] = [];
  #about: string | undefined;
  #reading: Reading | undefined;
  #settled = 0;

  constructor(bytes: LogBytes, rules: LogRules) {
    this.#bytes = bytes;
    this.#rules = rules;
  }

  get parts(): readonly LogPart[] {
    return this.#parts;
  }

  /** True for a mark that more has come after, and that no later line changes. */
  isPast(at: number): boolean {
    return at < this.#settled && at < this.marks.length - 1;
  }

  /** What there is to say about its files, and about the last one. */
  get note(): string | undefined {
    const { outline, splitter } = this.#reading ?? {};
    return splitter && logNote(joinNotes(this.#about, outline?.note?.()), splitter);
  }

  /** False where the files are others than before, or were written again: then all is read again. */
  async canGoOn(session: Session): Promise<boolean> {
    const last = this.#parts.length - 1;
    for (const [at, { file }] of this.#parts.entries()) {
      const now = session.parts[at]?.file;
      if (now?.name !== file.name || now.entry.ino !== file.entry.ino) return false;
      if (at < last && fileStamp(now.entry) !== fileStamp(file.entry)) return false;
    }
    const reading = this.#reading;
    const now = session.parts[last]?.file;
    if (!reading || !now) return this.#parts.length === 0;
    if (fileStamp(now.entry) === fileStamp(this.#parts[last]?.file.entry ?? now.entry)) return true;
    if (this.#bytes.isCompressed(now) || now.entry.size < reading.read) return false;
    const before = await this.#bytes.range(now, reading.read - reading.checked.length, reading.read);
    return before.equals(reading.checked);
  }

  /** Reads what is new; the marks are whole again when it has ended. */
  async goOn(session: Session, findBase: FindBase): Promise<void> {
    this.#about = session.note;
    const first = Math.max(0, this.#parts.length - 1);
    for (let at = first; at < session.parts.length; at++) {
      const part = session.parts[at];
      if (!part) continue;
      const before = this.#parts[at]?.file.entry;
      if (before && fileStamp(before) === fileStamp(part.file.entry)) continue;
      if (!before) await this.#begin(part, at, session, findBase);
      await this.#read(part, at);
      this.#parts = session.parts.slice(0, at + 1);
    }
  }

  async #begin(part: LogPart, at: number, session: Session, findBase: FindBase): Promise<void> {
    this.#settled = this.marks.length;
    this.bases[at] = await findBase(part, this.marks, session);
    const outline = this.#rules.outline((mark) => this.marks.push(at, mark), part.file, part.facts);
    const splitter = new LineSplitter(0, (line) => outline.line(line));
    this.#reading = { outline, splitter, read: 0, checked: Buffer.alloc(0) };
  }

  async #read({ file }: LogPart, at: number): Promise<void> {
    const reading = this.#reading;
    if (!reading) return;
    this.marks.cut(this.#settled);
    try {
      const end = this.#bytes.isCompressed(file) ? Infinity : file.entry.size;
      await this.#bytes.pieces(file, { start: reading.read, end }, (piece) => {
        reading.splitter.push(piece);
        reading.read += piece.length;
        const tail = piece.subarray(-CHECKED_BYTES);
        reading.checked = Buffer.concat([reading.checked, tail]).subarray(-CHECKED_BYTES);
      });
      reading.splitter.end();
    } catch (error) {
      const { code, message } = InspectorError.from(error);
      const problem: Problem = { code: code === 'too_large' ? code : 'unreadable', message };
      this.marks.push(at, { id: `byte-${reading.read}`, end: file.entry.size, status: 'unknown', problem });
    } finally {
      this.#settled = this.marks.length;
      for (const mark of reading.outline.open?.() ?? []) this.marks.push(at, mark);
    }
  }
}

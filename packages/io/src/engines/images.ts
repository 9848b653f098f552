import type { Op, PlanTarget, RowCheck } from '@checkpoint-inspector/core';
import type { FileStat } from './atomic-write.ts';
import { decodeCells, encodeCells, type Cells } from './cells.ts';

/** What a file was before or is afterwards. */
export interface FileMark {
  readonly kind: 'file';
  readonly path: string;
  readonly before?: { readonly sha256: string; readonly size: number; readonly stat: FileStat };
  readonly after?: { readonly sha256: string; readonly size: number };
}

/** Which row, and what was in it. `key` is the primary key; empty where the rowid has to do. */
export interface RowSpot {
  readonly rowid?: bigint;
  readonly key: Cells;
  readonly sha256: string;
}

export interface RowMark {
  readonly kind: 'row';
  readonly table: string;
  readonly before?: RowSpot;
  readonly after?: RowSpot;
}

/** Enough to see whether a change is done, or still there. */
export type Mark = FileMark | RowMark;

/** A mark with what it takes to put the state before back. */
export interface FileImage {
  readonly mark: FileMark;
  readonly bytes?: Uint8Array;
}
export interface RowImage {
  readonly mark: RowMark;
  readonly cells?: Cells;
}
export type Image = FileImage | RowImage;

export function isRowImage(image: Image): image is RowImage {
  return image.mark.kind === 'row';
}

/** Puts every row of the images back, all or none. Made by `undoJob`, never by a room. */
export interface UndoRows {
  readonly op: 'rows.undo';
  readonly images: readonly RowImage[];
}

/** What an executor does: the ops of a plan, or of an undo. */
export interface Job {
  readonly target: PlanTarget;
  readonly ops: readonly (Op | UndoRows)[];
  readonly checks: readonly RowCheck[];
  /** An undo may remove what it made even where that is marked read-only. */
  readonly undo?: true;
}

export interface ApplyHooks {
  /** Names the temporary files; `[A-Za-z0-9-]+`, one per intent. */
  readonly tag: string;
  /** Everything is known and nothing is done: make the images durable. A throw stops the change. */
  readonly prepared: (images: readonly Image[]) => void;
  /** Files only: all is written, nothing removed. `false` leaves the removals undone. */
  readonly written?: () => Promise<boolean>;
  /** Called between steps; tests stop the process there. */
  readonly onStep?: (step: string) => void;
}

export interface FailedStep {
  /** File name. */
  readonly what: string;
  readonly reason: string;
}

export interface Applied {
  readonly images: readonly Image[];
  /** Indexes of `images` that did not happen. */
  readonly skipped: readonly number[];
  readonly failed: readonly FailedStep[];
}

/** A mark as JSON text, for the journal. */
export function encodeMark(mark: Mark): string {
  return JSON.stringify(mark, (_name, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return value instanceof Map ? Buffer.from(encodeCells(value)).toString('base64') : value;
  });
}

/** What `encodeMark` wrote. */
export function decodeMark(text: string): Mark {
  return JSON.parse(text, (name, value: unknown) => {
    if ((name === 'rowid' || name === 'mtimeNs') && typeof value === 'string') return BigInt(value);
    return name === 'key' && typeof value === 'string' ? decodeCells(Buffer.from(value, 'base64')) : value;
  }) as Mark;
}

/** The content before as bytes; absent where nothing was there before. */
export function encodeContent(image: Image): Uint8Array | undefined {
  if (!isRowImage(image)) return image.bytes;
  return image.cells && encodeCells(image.cells);
}

/** @throws InspectorError unreadable */
export function decodeImage(mark: Mark, content: Uint8Array | undefined): Image {
  if (mark.kind === 'file') return { mark, ...(content ? { bytes: content } : {}) };
  return { mark, ...(content ? { cells: decodeCells(content) } : {}) };
}

import type { Job } from '@checkpoint-inspector/core';
import { has, isBytes, isCount, isOne, isText, isWhole, listOf, optional, type Is } from '../shape.ts';
import type { FileStat } from './atomic-write.ts';

interface At<Op extends string> {
  readonly op: Op;
  readonly path: string;
}
type Bytes = { readonly bytes: Uint8Array };
type Size = { readonly size: number };
/** What the file must contain now. */
type Held = { readonly sha256: string };
type Stat = { readonly stat?: FileStat | undefined };

/** Paths are relative to the job's folder, one segment each, no links. */
export type FileStep =
  | (At<'create'> & Bytes & Stat & { readonly like?: string | undefined })
  | (At<'replace'> & Bytes & Held & Stat)
  | (At<'append'> & Bytes & Size & Held & Stat)
  /** Undoes an append. */
  | (At<'cut'> & Size & Held & Stat)
  | (At<'trash'> & Held);

export type WriteStep = Exclude<FileStep, { op: 'trash' }>;
export type TrashStep = Extract<FileStep, { op: 'trash' }>;

export interface FileSteps {
  readonly ops: FileStep[];
  /** An undo may change what it made even where that is marked read-only. */
  readonly undo?: true | undefined;
}

/** Writes are done first, in order; removals once all is written and proven. A failed write undoes those before it. */
export class FilesJob implements Job {
  readonly engine = 'files';
  readonly place: string;
  readonly steps: FileSteps;

  constructor(folder: string, steps: FileSteps = { ops: [] }) {
    this.place = folder;
    this.steps = steps;
  }

  /** A new file; `like` names the one to take mode and owner from. */
  create(path: string, bytes: Uint8Array, { like }: { readonly like?: string } = {}): this {
    return this.#add({ op: 'create', path, bytes, ...(like === undefined ? {} : { like }) });
  }

  /** Another content for a file that still has the expected one; mode and owner stay. */
  replace(path: string, bytes: Uint8Array, { expectSha256 }: { readonly expectSha256: string }): this {
    return this.#add({ op: 'replace', path, bytes, sha256: expectSha256 });
  }

  /** More at the end of a file that is still the expected one. */
  append(
    path: string,
    bytes: Uint8Array,
    { expectSize, expectSha256 }: { readonly expectSize: number; readonly expectSha256: string },
  ): this {
    return this.#add({ op: 'append', path, bytes, size: expectSize, sha256: expectSha256 });
  }

  /** Removes a file that still has this content; the journal keeps it. */
  trash(path: string, sha256: string): this {
    return this.#add({ op: 'trash', path, sha256 });
  }

  #add(step: FileStep): this {
    this.steps.ops.push(step);
    return this;
  }
}

export const filesJob = (folder: string): FilesJob => new FilesJob(folder);

const isStat: Is<FileStat> = has<FileStat>({ mode: isCount, uid: isCount, gid: isCount, mtimeNs: isWhole });
const base = { path: isText, stat: optional(isStat) };
const whole = { size: isCount, sha256: isText };
const KINDS: readonly Is<FileStep>[] = [
  has<Extract<FileStep, { op: 'create' }>>({ ...base, op: isOne('create'), bytes: isBytes, like: optional(isText) }),
  has<Extract<FileStep, { op: 'replace' }>>({ ...base, op: isOne('replace'), bytes: isBytes, sha256: isText }),
  has<Extract<FileStep, { op: 'append' }>>({ ...base, ...whole, op: isOne('append'), bytes: isBytes }),
  has<Extract<FileStep, { op: 'cut' }>>({ ...base, ...whole, op: isOne('cut') }),
  has<TrashStep>({ op: isOne('trash'), path: isText, sha256: isText }),
];

export const isFileSteps: Is<FileSteps> = has<FileSteps>({
  ops: listOf((value): value is FileStep => KINDS.some((is) => is(value))),
  undo: optional(isOne(true)),
});

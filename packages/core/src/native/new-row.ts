import type { EditRequest, PlanWarning, SystemRequest } from '../change/index.ts';
import { editWarnings, editWords, readEdit } from '../edit/index.ts';
import { sha256Hex } from '../hash.ts';
import type { CheckpointRef } from '../model.ts';
import type { NativeRow } from './tables.ts';

/** What the rules need to know about a row; no state. */
export interface PlanRow {
  readonly ref: CheckpointRef;
  readonly seq: number;
  readonly sizeBytes: number;
  readonly revision: string;
  readonly parent?: CheckpointRef;
  /** A framework keeps a text beside it and reads its parents' writes. */
  readonly framed: boolean;
  /** ISO 8601 UTC, as the agent gave it. */
  readonly createdAt?: string;
}

export type CopyRequest = Extract<SystemRequest, { kind: 'restore' | 'fork' | 'edit' }>;

/** What a request saves as a new row, besides what every copy has. */
export interface NewRow {
  /** Columns that are not the source's. */
  readonly set: NativeRow;
  readonly sizeBytes: number;
  readonly revision: string;
  readonly reason: string;
  /** Part of the id. */
  readonly word: 'restored' | 'fork' | 'edit';
  readonly warnings: readonly PlanWarning[];
}

export function copiedRow(request: Exclude<CopyRequest, EditRequest>, source: PlanRow): NewRow {
  const verb = request.kind === 'fork' ? 'fork' : 'copy';
  return {
    set: {},
    sizeBytes: source.sizeBytes,
    revision: source.revision,
    reason: `${verb} of "${source.ref.id}", saved last, so it is what resumes`,
    word: request.kind === 'fork' ? 'fork' : 'restored',
    warnings: [],
  };
}

/** @throws InspectorError invalid_input | too_large */
export async function editedRow(request: EditRequest, original: string, { framed }: PlanRow): Promise<NewRow> {
  const { text } = request;
  readEdit(text, framed ? { strictFor: 'LangGraph' } : {});
  const bytes = new TextEncoder().encode(text);
  const revision = await sha256Hex(bytes);
  return {
    // What the original's step took in time, tokens and money is not taken twice.
    set: {
      text,
      state_hash: revision,
      size_bytes: bytes.length,
      description: editWords(request),
      duration_ms: null,
      token_usage: null,
      cost_usd: null,
    },
    sizeBytes: bytes.length,
    revision,
    reason: `the edited text as a child of "${request.ref.id}", saved last, so it is what resumes`,
    word: 'edit',
    warnings: editWarnings(original, text),
  };
}

const SUFFIX = /-(?:restored|fork|edit)-\d+$/;

/** A readable id for a copy, free in the whole store. A copy of a copy counts on instead of growing its name. */
export async function copyId(
  id: string,
  kind: 'restored' | 'fork' | 'edit',
  taken: (id: string) => boolean | Promise<boolean>,
): Promise<string> {
  const base = id.replace(SUFFIX, '');
  for (let n = 1; ; n++) {
    const next = `${base}-${kind}-${n}`;
    if (!(await taken(next))) return next;
  }
}

import {
  InspectorError,
  patchJson,
  planList,
  quoteJson,
  setMember,
  sha256Hex,
  sourceOf,
  type SystemRequest,
  type Plan,
  type PlanItem,
  type PlanWarning,
} from '@checkpoint-inspector/core';
import { refOf } from './meta.ts';
import { RESTORED_FROM } from './metadata.ts';
import { parseCheckpoint, payloadText } from './payload.ts';
import {
  activeWarning,
  attached,
  columnsOf,
  hashOf,
  hasNext,
  headCondition,
  invokeCall,
  jobForChild,
  keyColumns,
  newestRoot,
  planFrame,
  rootRow,
  type PlanContext,
} from './plan-parts.ts';
import type { FullRow, Queries } from './queries.ts';
import { readState, soundMetadata } from './state.ts';
import { newerId, timeOfTicks } from './uuid6.ts';

type RestoreRequest = Extract<SystemRequest, { kind: 'restore' }>;

/**
 * A copy of the row with an id that LangGraph takes for the newest, under the target's own parent and without its
 * writes: what `updateState(config, null, "__copy__")` makes. Under the target itself, delta channels would gain the
 * target's own writes.
 */
export async function planRestore(context: PlanContext, request: RestoreRequest): Promise<Plan> {
  const { ref } = request;
  const { task } = ref;
  const { queries } = context;
  const row = rootRow(context, ref);
  const state = readState(queries, task, row);
  const newest = newestRoot(queries, task);
  const copy = copyOf(row, newest, context.now);
  const written = refOf(task, { ns: '', id: copy.id });
  const { latest } = context.head(task);
  const sizeBytes = copy.checkpoint.length + copy.metadata.length;
  const reason = `copy of ${ref.id} with a newer id, so LangGraph goes on from it`;
  const stays = [latest.ref].filter((head) => head !== undefined);
  return {
    view: {
      ...planFrame(context, request, task, latest),
      preconditions: [headCondition(task, latest.ref), await hashOf(ref, row), { kind: 'absent', ref: written }],
      writes: planList<PlanItem>([{ ref: written, reason, sizeBytes, where: 'one row of the table checkpoints' }]),
      protected: planList<PlanItem>(
        stays.map((head) => ({ ref: head, reason: 'stays in the history, on its own branch' })),
      ),
      warnings: [...restoreWarnings(queries, task, row, latest.ref?.id), ...activeWarning(context, task)],
      latestAfter: written,
      proofHash: await sha256Hex(state.text),
      next: invokeCall(task, hasNext(row)),
    },
    job: jobForChild(context, task, row, { id: copy.id, newest }).copy(
      'checkpoints',
      keyColumns(task, row),
      setOf(row, copy),
    ),
  };
}

interface Copy {
  readonly id: string;
  readonly checkpoint: Uint8Array;
  readonly metadata: Uint8Array;
}

function setOf(row: FullRow, copy: Copy) {
  return { checkpoint_id: copy.id, ...columnsOf(row, copy) };
}

/** Only the tokens of id, time, source and step change, and one key is added to the metadata. */
function copyOf(row: FullRow, newest: string | undefined, now: Date): Copy {
  const text = payloadText({ ...row, bytes: row.checkpoint });
  const { text: stored, metadata } = soundMetadata(row);
  const step = (metadata.step ?? -1) + 1;
  const { id, ticks } = newerId(newest, step, now);
  const marks = { source: '"fork"', step: String(step), [RESTORED_FROM]: quoteJson(row.id) };
  const marked = Object.entries(marks).reduce((json, [key, value]) => setMember(json, [], key, value), stored);
  return { id, checkpoint: utf8(withIdAndTime(text, id, timeOfTicks(ticks))), metadata: utf8(marked) };
}

function withIdAndTime(text: string, id: string, time: string): string {
  const patched = patchJson(text, [
    { path: ['id'], text: quoteJson(id) },
    { path: ['ts'], text: quoteJson(time) },
  ]);
  const before = parseCheckpoint(text);
  const after = parseCheckpoint(patched);
  if (sourceOf(text, before.channelValues) === sourceOf(patched, after.channelValues)) return patched;
  throw new InspectorError('unsupported', 'This row cannot be copied without a change of its state.');
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function restoreWarnings(queries: Queries, thread: string, row: FullRow, latest: string | undefined): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  if (row.id === latest) {
    warnings.push({
      code: 'already_latest',
      message:
        'This is the latest already. The copy leaves its stored writes behind, so nodes that had finished run again.',
    });
  }
  if (queries.writes(thread, row, '__interrupt__').length > 0) {
    warnings.push({
      code: 'interrupt_asked_again',
      message: 'It waited for an answer: the question will be asked again, with a new id.',
    });
  }
  if (attached(queries, thread, row.id).length > 0) {
    warnings.push({
      code: 'subgraph_restarts',
      message: 'A subgraph ran under this checkpoint: it starts again from its first node.',
    });
  }
  return warnings;
}

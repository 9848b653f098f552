import {
  InspectorError,
  planList,
  sha256Hex,
  type CheckpointRef,
  type Eviction,
  type Plan,
  type PlanItem,
  type PlanWarning,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { sqliteJob, type RowsJob } from '@checkpoint-inspector/io';
import { frame } from '../folder/index.ts';
import { byId, byPlace, type Point } from './history.ts';
import { latestOf } from './meta.ts';
import { planCopy } from './plan-copy.ts';
import { activeWarning, headStays, resumeCall, revisionOf, type PlanContext, type Wanted } from './plan-parts.ts';
import type { Message, Part } from './log.ts';
import type { Marker, Session } from './sessions.ts';
import type { Placed } from './store.ts';
import { stateText, textsAt } from './state.ts';

type RestoreRequest = Extract<SystemRequest, { kind: 'restore' }>;

/** What a request would do, by the rules of opencode. Reads only. @throws InspectorError not_found | unsupported | invalid_input | unreadable */
export async function planChange(context: PlanContext, request: SystemRequest): Promise<Plan> {
  if (request.kind === 'delete')
    throw new InspectorError('unsupported', "Checkpoints of opencode aren't deleted here.");
  const wanted = wantedPoint(context, request.ref);
  if (request.kind !== 'restore') return planCopy(context, request, wanted);
  const isHere = request.targetTask === undefined || request.targetTask === wanted.session.id;
  return isHere ? planRevert(context, request, wanted) : planCopy(context, request, wanted);
}

function wantedPoint({ opencode, now }: PlanContext, ref: CheckpointRef): Wanted {
  const found = opencode.point(ref);
  if (found === undefined) {
    throw new InspectorError('not_found', `No checkpoint "${ref.id}" in session "${ref.task}".`, { data: { ...ref } });
  }
  const { session, history, point } = found;
  if (point.damaged) throw new InspectorError(point.damaged.problem.code, point.damaged.problem.message);
  return { ...found, ref: { task: ref.task, id: ref.id }, look: { session, history, now: now.getTime() } };
}

/** The marker that opencode's own revert writes, without its snapshot of the files: nothing else of the rows changes. */
async function planRevert(context: PlanContext, request: RestoreRequest, wanted: Wanted): Promise<Plan> {
  const { ref, session, history, look } = wanted;
  const next = nextMarker(wanted);
  const hidden = hiddenAfter(wanted);
  const { session: info, messages } = textsAt(context.opencode.texts, session.id, history.log, wanted.point);
  const text = stateText(
    info,
    messages.map((one) => ({ info: one.info, parts: one.parts.map((part) => part.text) })),
  );
  return {
    view: {
      ...frame(context, request, session.id, latestOf(look)),
      preconditions: [...headStays(wanted), await revisionOf(context, wanted)],
      evicts: planList(
        hidden.map(({ id }): Eviction => ({
          ref: { task: session.id, id },
          reason: 'hidden now, deleted by opencode at the next prompt',
          when: 'next-save',
        })),
      ),
      protected: planList<PlanItem>([{ ref, reason: 'unchanged, becomes the latest' }]),
      warnings: [...revertWarnings(wanted, hidden.length, next), ...activeWarning(look)],
      latestAfter: ref,
      proofHash: await sha256Hex(text),
      next: resumeCall(session),
    },
    job: jobInSession(context, wanted).update('session', { id: session.id }, { revert: markerText(session, next) }),
  };
}

/** Why a session can't go back to a checkpoint; `undefined` where it can. */
export function restoreRefusal({
  point,
  history,
}: Placed): { readonly message: string; readonly remedy: string } | undefined {
  const { message, part } = point;
  if (point === history.head) {
    return {
      message: `${point.id} is already the latest: the next prompt continues from it.`,
      remedy: 'There is nothing to restore. To try something else alongside it, fork it into a new session.',
    };
  }
  if (message === undefined || point.aside === 'deleted') {
    return {
      message: `opencode has deleted ${point.id}: only its event log still has it.`,
      remedy: 'Fork it: that writes a new session from the log.',
    };
  }
  if (part === undefined || partAfter(part, message)) return undefined;
  return {
    message: `Nothing follows ${point.id} in its message.`,
    remedy: `Restore the message, ${message.id}.`,
  };
}

const partAfter = (part: Part, { parts }: Message): Part | undefined =>
  [...parts.values()].toSorted(byId).find((one) => one.id > part.id && one.removedAt === undefined);

/** What comes right after the checkpoint; `undefined` where nothing does. @throws InspectorError unsupported */
function nextMarker(wanted: Wanted): Marker | undefined {
  const refusal = restoreRefusal(wanted);
  const { message, part } = wanted.point;
  if (refusal || message === undefined) {
    throw new InspectorError(
      'unsupported',
      refusal?.message ?? `${wanted.point.id} isn't part of a message.`,
      refusal ?? {},
    );
  }
  const after = part && partAfter(part, message);
  if (after) return { messageId: message.id, partId: after.id };
  const { log } = wanted.history;
  const messages = [...log.messages.values()].filter(({ id }) => log.live.has(id)).toSorted(byPlace);
  const next = messages[messages.indexOf(message) + 1];
  return next && { messageId: next.id };
}

/** Checkpoints that are there now, and won't be after the next prompt. */
function hiddenAfter({ point, history }: Wanted): readonly Point[] {
  const from = history.points.indexOf(point);
  return history.points.slice(from + 1).filter(({ is, aside }) => is !== 'damaged' && aside !== 'deleted');
}

/** The files that an open revert put aside come back by "unrevert" only while the marker names their snapshot. @throws InspectorError unsupported */
function markerText({ revertText }: Session, next: Marker | undefined): string | null {
  const { snapshot, diff } = membersOf(revertText);
  if (next === undefined && snapshot !== undefined) {
    throw new InspectorError('unsupported', 'This revert put files back too, and only opencode itself can undo that.', {
      remedy: 'Undo it in opencode with "unrevert" (/redo), which restores messages and files.',
    });
  }
  if (next === undefined) return null;
  const { messageId: messageID, partId: partID } = next;
  return JSON.stringify({ messageID, partID, snapshot, diff });
}

function membersOf(text: string | null): { readonly snapshot?: unknown; readonly diff?: unknown } {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function revertWarnings({ point }: Wanted, hidden: number, next: Marker | undefined): PlanWarning[] {
  const found: PlanWarning[] = [
    {
      code: 'files_stay',
      message: 'Files stay as they are now: only opencode itself can put them back.',
    },
  ];
  if (next && hidden > 0) {
    found.push({
      code: 'deleted_at_next_prompt',
      message: `The next prompt makes opencode delete the messages of ${hidden} ${hidden === 1 ? 'checkpoint' : 'checkpoints'} for good. Until then "unrevert", or undoing this change, brings them back. Fork instead to keep both.`,
    });
  }
  if (runsBeside(point)) {
    found.push({
      code: 'parallel_calls',
      message:
        'Other calls of this answer were running then. Those that began after this one are dropped, those before it are kept with their results.',
    });
  }
  if (point.facts?.role === 'user') {
    found.push({
      code: 'prompt_unanswered',
      message: 'The last message is then a prompt without an answer. The model gets it together with your next prompt.',
    });
  }
  return found;
}

/** A job for as long as nobody has gone on in the session. */
function jobInSession({ path, opencode }: PlanContext, { session, history }: Wanted): RowsJob {
  const newest = [...history.log.live].reduce((most, id) => (id > most ? id : most), '');
  const sql = 'SELECT max(id) AS id FROM part WHERE session_id = ?';
  const part = opencode.database.prepare<{ id: string | null }>(sql).get(session.id)?.id ?? undefined;
  return sqliteJob(path)
    .expectRow('session', { id: session.id }, { revert: session.revertText })
    .expectMax('message', { session_id: session.id }, 'id', newest === '' ? undefined : newest)
    .expectMax('part', { session_id: session.id }, 'id', part);
}

/** Whether another call of the same answer had no end yet. */
function runsBeside({ part, message, seq }: Point): boolean {
  const others = part && message ? [...message.parts.values()].filter((one) => one !== part) : [];
  return others.some(({ versions, facts }) => {
    const at = versions.findLastIndex((version) => version.seq <= seq);
    const status = facts[at]?.status;
    return status === 'running' || status === 'pending';
  });
}

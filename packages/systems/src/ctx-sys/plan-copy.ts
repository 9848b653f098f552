import {
  InspectorError,
  planList,
  sha256Hex,
  type Plan,
  type PlanItem,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { frame, freeName } from '../folder/index.ts';
import { hashOf, jobFor, resumeCall, wantedRow, wantedText, type Edited, type PlanContext } from './plan-parts.ts';
import { newCheckpointId } from './rules.ts';

type CopyRequest = Extract<SystemRequest, { kind: 'restore' | 'fork' | 'edit' }>;

/** The row, byte for byte or edited, under a new session: alone there, it is the latest. */
export async function planCopy(context: PlanContext, request: CopyRequest, edited?: Edited): Promise<Plan> {
  const wanted = await wantedRow(context, request.ref);
  const { ref, row, seen } = wanted;
  const { name, boundSession } = context.project.table;
  if (boundSession) {
    throw new InspectorError(
      'unsupported',
      'Sessions are rows in another table here, and a copy would need a new row there.',
    );
  }
  const text = edited?.text ?? (await wantedText(context, wanted));
  const targetTask = request.targetTask ?? freeName(ref.task, (name) => context.project.session(name) !== undefined);
  const id = (request.kind === 'fork' ? request.id : undefined) ?? newCheckpointId();
  checkNames(context, targetTask, id);
  const written = { task: targetTask, id };
  const set = { ...edited?.set, id, session_id: targetTask, created_at: context.now.toISOString() };
  const reason = `${edited ? 'edit' : 'copy'} of ${ref.id}`;
  const sizeBytes = edited ? Buffer.byteLength(text) : row.sizeBytes;
  return {
    view: {
      ...frame(context, request, ref.task, { basis: 'none' }),
      targetTask,
      preconditions: [
        { kind: 'head', task: targetTask },
        await hashOf(context, wanted),
        { kind: 'absent', ref: written },
      ],
      writes: planList<PlanItem>([{ ref: written, reason, sizeBytes, where: `one row of ${name}` }]),
      warnings: edited?.warnings ?? [],
      latestAfter: written,
      proofHash: await sha256Hex(text),
      next: resumeCall(targetTask, (edited?.steps ?? seen.facts.steps) > 0),
      sidecar: [{ child: written, parent: ref }],
    },
    job: jobFor(context, row)
      .expectAbsent(name, { session_id: targetTask })
      .expectAbsent(name, { id })
      .copy(name, { id: row.id }, set),
  };
}

function checkNames({ project }: PlanContext, targetTask: string, id: string): void {
  const refuse = (message: string) => new InspectorError('invalid_input', message, { data: { targetTask, id } });
  if (targetTask === '') throw refuse('A session needs a name.');
  if (id === '') throw refuse('A checkpoint needs an id.');
  if (project.session(targetTask))
    throw refuse(`Session "${targetTask}" already exists. Choose a new name for the copy.`);
  const isTaken = project.sessions().some(({ rows }) => rows.some((row) => row.id === id));
  if (isTaken) throw refuse(`The id "${id}" is already used in this project.`);
}

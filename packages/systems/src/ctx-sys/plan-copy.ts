import {
  InspectorError,
  planList,
  sha256Hex,
  type SystemRequest,
  type Plan,
  type PlanItem,
} from '@checkpoint-inspector/core';
import { newCheckpointId } from './rules.ts';
import {
  hashOf,
  jobFor,
  planFrame,
  resumeCall,
  wantedRow,
  wantedText,
  type Edited,
  type PlanContext,
} from './plan-parts.ts';

type CopyRequest = Extract<SystemRequest, { kind: 'restore' | 'fork' | 'edit' }>;

/**
 * The row under a new session: alone there, it is the latest. Its state is copied byte for byte, unless it is an edited
 * one.
 */
export async function planCopy(context: PlanContext, request: CopyRequest, edited?: Edited): Promise<Plan> {
  const wanted = await wantedRow(context, request.ref);
  const { ref, row, seen } = wanted;
  const { name, boundSession } = context.project.table;
  if (boundSession) {
    throw new InspectorError(
      'unsupported',
      'Sessions are rows of another table here, and a copy would need a new one.',
    );
  }
  const text = edited?.text ?? (await wantedText(context, wanted));
  const targetTask = request.targetTask ?? freeName(context, ref.task);
  const id = (request.kind === 'fork' ? request.id : undefined) ?? newCheckpointId();
  checkNames(context, targetTask, id);
  const written = { task: targetTask, id };
  const set = { ...edited?.set, id, session_id: targetTask, created_at: context.now.toISOString() };
  const reason = `${edited ? 'edit' : 'copy'} of ${ref.id}`;
  const sizeBytes = edited ? Buffer.byteLength(text) : row.sizeBytes;
  return {
    view: {
      ...planFrame(context, request, ref.task, { basis: 'none' }),
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

function freeName({ project }: PlanContext, session: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? `${session}-fork` : `${session}-fork-${n}`;
    if (project.session(name) === undefined) return name;
  }
}

function checkNames({ project }: PlanContext, targetTask: string, id: string): void {
  const refuse = (message: string) => new InspectorError('invalid_input', message, { data: { targetTask, id } });
  if (targetTask === '') throw refuse('A session needs a name.');
  if (id === '') throw refuse('A checkpoint needs an id.');
  if (project.session(targetTask)) throw refuse(`Session "${targetTask}" already exists; give the copy a new name.`);
  const isTaken = project.sessions().some(({ rows }) => rows.some((row) => row.id === id));
  if (isTaken) throw refuse(`The id "${id}" is taken in this project.`);
}

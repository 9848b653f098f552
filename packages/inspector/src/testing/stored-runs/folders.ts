/** Runs in the systems that keep one document per checkpoint in a folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaseStep } from '@checkpoint-inspector/core/testing';
import { createCheckpoint, serializeCheckpoint, type ExecutorState } from '@checkpoint-inspector/apis/agent-framework';
import { jsonNumber, kaizenDocument } from '@checkpoint-inspector/apis/kaizen';
import { kaizenFileName } from '@checkpoint-inspector/systems/kaizen';
import { checkpointDocument } from '@checkpoint-inspector/apis/rlm-act';
import { CHECKPOINTS_FOLDER, PHASES } from '@checkpoint-inspector/systems/rlm-act';
import { leftOut } from './databases.ts';
import { asciiJson, STATE_MARK, timeAt, withState, type StoredCase, type Writing } from './types.ts';

const hex = (nth: number, length: number): string => (nth + 1).toString(16).padStart(length, '0');
const pythonTime = (nth: number): string => timeAt(nth).toISOString().replace(/Z$/, '000+00:00');

/** The state is what the agent remembers. */
export async function toKaizen({ folder, task, steps }: Writing): Promise<StoredCase> {
  const ids = new Map(steps.map(({ id }, nth) => [id, `ckpt_${hex(nth, 12)}`]));
  for (const [nth, { id, parent, status, description, text, error }] of steps.entries()) {
    const name = ids.get(id) ?? '';
    const document = kaizenDocument({
      checkpoint_id: name,
      agent_id: task,
      timestamp: pythonTime(nth),
      step_number: nth,
      conversation_history: [{ role: 'assistant', content: description ?? '' }],
      memory_contents: STATE_MARK,
      budget_spent_usd: jsonNumber((0.01 * nth).toFixed(2)),
      parent_checkpoint_id: parent === undefined ? null : (ids.get(parent) ?? null),
      status,
      metadata: error === undefined ? {} : { error },
    });
    await writeFile(join(folder, kaizenFileName(name, 'plain')), `${withState(document, asciiJson(text))}\n`);
  }
  return { path: folder, task, ids, places: [['memory_contents']] };
}

/** What the store of Python writes: it records parents, and has no status: a program can only note an error beside. */
export async function toAgentFrameworkPython({ folder, task, steps }: Writing): Promise<StoredCase> {
  const ids = new Map(steps.map(({ id }, nth) => [id, uuid(nth)]));
  for (const [nth, { id, parent, text, error }] of steps.entries()) {
    const document = JSON.stringify({
      workflow_name: task,
      graph_signature_hash: 'a'.repeat(64),
      checkpoint_id: ids.get(id),
      previous_checkpoint_id: parent === undefined ? null : ids.get(parent),
      timestamp: pythonTime(nth),
      messages: { worker: [] },
      state: STATE_MARK,
      pending_request_info_events: {},
      iteration_count: nth,
      metadata: error === undefined ? {} : { error },
      version: '1.0',
    });
    await writeFile(join(folder, `${ids.get(id)}.json`), withState(document, asciiJson(text)));
  }
  return { path: folder, task, ids, places: [['state']] };
}

const uuid = (nth: number): string => `0c0de000-0000-4000-8000-${hex(nth, 12)}`;

/** The interface in TypeScript: the state is shared by the executors, and written twice. */
export async function toAgentFramework({ folder, task, steps, branch }: Writing): Promise<StoredCase> {
  const ids = new Map(branch.map(({ id }, nth) => [id, `${task}_${hex(nth, 4)}`]));
  for (const [nth, step] of branch.entries()) {
    const checkpointId = ids.get(step.id) ?? '';
    const context = {
      workflowId: task,
      executionId: 'run-1',
      sharedState: new Map([['mark', STATE_MARK]]),
      executorOutputs: new Map<string, unknown>(),
    };
    const made = createCheckpoint(task, 'run-1', 'b'.repeat(64), executorsOf(step), context, { checkpointId });
    const document = serializeCheckpoint({ ...made, timestamp: timeAt(nth) });
    const bare = document.replaceAll(`{"mark":"${STATE_MARK}"}`, `"${STATE_MARK}"`);
    await writeFile(join(folder, `${checkpointId}.json`), withState(withState(bare, step.text), step.text));
  }
  const places = [['sharedState'], ['executionContext', 'sharedState']];
  return { path: folder, task, ids, places, ...leftOut(steps, branch, 'this form records no parents') };
}

function executorsOf({ status, error, description = '' }: CaseStep): Map<string, ExecutorState> {
  const failed = status === 'failed' ? { error: { type: 'Error', message: error ?? description } } : {};
  return new Map([['worker', { executorId: 'worker', output: null, completed: status === 'completed', ...failed }]]);
}

/** The state is a field of the run's own; errors are a list beside it. */
export async function toRlmAct({ folder, task, steps, branch }: Writing): Promise<StoredCase> {
  const path = join(folder, task, CHECKPOINTS_FOLDER);
  await mkdir(path, { recursive: true });
  const ids = new Map(branch.map(({ id }, nth) => [id, uuid(nth)]));
  for (const [nth, { id, status, text, error }] of branch.entries()) {
    const name = PHASES[Math.min(PHASES.length - 1, Math.floor((nth / branch.length) * PHASES.length))];
    const state = {
      project_path: task,
      autonomy_mode: 'batch',
      started_at: timeAt(0).toISOString(),
      work: STATE_MARK,
    };
    const document = checkpointDocument({
      id: ids.get(id) ?? '',
      phase: `${name}-${status === 'failed' ? 'failed' : 'complete'}`,
      timestamp: `${timeAt(nth).toISOString().slice(0, -1)}000Z`,
      state,
      errors: error === undefined ? [] : [error],
      git_commit: '',
    });
    await writeFile(join(path, `${ids.get(id)}.json`), withState(document, asciiJson(text)));
  }
  return { path, task, ids, places: [['state', 'work']], ...leftOut(steps, branch, 'the pipeline records no parents') };
}

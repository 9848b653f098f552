import { compact, type FailedTask, type FailureGroup } from '@checkpoint-inspector/core';
import { z } from '@hono/zod-openapi';
import { addressOf, branchAt, branchName, checkpointAddress, taskAddress, taskAt, taskName } from '../places.ts';
import { maxTokens, more, paging, partThatFits, shortValue, shortWords } from '../size.ts';
import { structuredTool, type ToolCall } from '../tool.ts';
import { covered, coveredShape } from './covered.ts';
import type { Diagnosis, DiagnosisStep, SentSuspect } from '@checkpoint-inspector/inspector';
import { storeIdSchema } from '../../wire/index.ts';

const GROUPS = 10;
const TASKS_OF_A_GROUP = 3;
const SUSPECTS = 3;
const GAPS = 5;
const UNSAID = 'No message was stored.';

/** A checkpoint by its address, its number and what its system calls it. */
const step = {
  checkpoint: checkpointAddress,
  step: z.number().describe('Its number, as people say it'),
  description: z.string().optional(),
};
const stepSchema = z.object(step);

export const errorsTool = structuredTool({
  name: 'errors',
  title: 'Find failures',
  description: 'Failed checkpoints of all open stores, grouped by message, current failures first',
  input: z.strictObject({
    store: storeIdSchema.optional().describe('Only this store'),
    task: taskName.optional(),
    ...paging,
  }),
  output: z.object({
    items: z.array(
      z.object({
        message: z
          .string()
          .describe('What the messages have in common; <n>, <url>, <text> and the like stand for what differs'),
        failures: z.number(),
        tasks: z.array(
          z.object({
            ...step,
            task: z.string().describe('store/task'),
            current: z.boolean().describe('False if the task continued after it'),
            time: z.string().optional(),
            message: z.string().optional(),
          }),
        ),
        moreTasks: z.number().optional().describe('`tasks` with status failed lists them'),
      }),
    ),
    ...coveredShape,
    cursor: more,
  }),
  run: async (call, { store, task, ...asked }) => {
    const place = task === undefined ? undefined : await taskAt(call, task);
    const query = place ? { store: place.source.info.id, task: place.task } : compact({ store });
    const answer = await call.inspector.failures.errors(query, { signal: call.signal });
    const { items, cursor } = partThatFits(asked, GROUPS, answer.items, (group) => shortGroup(call, group));
    return { members: { items, ...covered(call, answer) }, cursor };
  },
});

function shortGroup(call: ToolCall, { pattern, count, tasks }: FailureGroup) {
  const left = tasks.length - TASKS_OF_A_GROUP;
  return {
    message: pattern === '' ? UNSAID : shortWords(call, pattern),
    failures: count,
    tasks: tasks.slice(0, TASKS_OF_A_GROUP).map((one) => failedTask(call, one, pattern)),
    ...(left > 0 ? { moreTasks: left } : {}),
  };
}

function failedTask(
  call: ToolCall,
  { store, task, failed, current, step: at, time, message }: FailedTask,
  pattern: string,
) {
  return {
    task: taskAddress(store, task),
    checkpoint: addressOf(store, failed),
    step: at?.stepIndex ?? at?.seq ?? 0,
    current,
    ...compact({
      description: at?.description === undefined ? undefined : shortWords(call, at.description),
      time,
      message: message === undefined || message === pattern ? undefined : shortWords(call, message),
    }),
  };
}

export const diagnoseTool = structuredTool({
  name: 'diagnose',
  title: 'Explain a failure',
  description:
    'Why a task failed: the error, the failing step, the last good checkpoint, and the changes that most likely caused it. Suggestions, not proof',
  input: z.strictObject({ at: branchName, maxTokens }),
  output: z.object({
    outcome: z
      .enum(['suspects', 'unclear', 'healthy'])
      .describe('unclear: no single change is clearly the cause, so suspects are guesses; healthy: nothing failed'),
    error: z
      .object({
        message: z.string(),
        node: z.string().optional(),
        from: z.enum(['status', 'state']).describe('state: it completed, and only its state reports this'),
      })
      .optional(),
    failed: stepSchema
      .extend({
        before: z.boolean().optional().describe('The step that failed ran from this checkpoint and saved none'),
      })
      .optional(),
    lastGood: stepSchema.extend({ stepsBack: z.number() }).optional(),
    holdSuspectValue: z
      .object({ from: stepSchema, to: stepSchema })
      .optional()
      .describe('Did not fail, but contain it'),
    recovered: stepSchema.optional().describe('Continued after the failure'),
    suspects: z
      .array(
        stepSchema.extend({
          path: z.string(),
          kind: z.string(),
          before: z.string().optional().describe('JSON text'),
          after: z.string().optional().describe('JSON text'),
          reasons: z.array(z.string()),
        }),
      )
      .describe('Likeliest first'),
    examined: z.object({ checkpoints: z.number(), of: z.number(), unread: z.array(z.string()).optional() }),
  }),
  operation: 'load',
  run: async (call, { at }) => {
    const { source, query } = await branchAt(call, at);
    const { id } = source.info;
    return { members: shortDiagnosis(call, id, await call.inspector.diagnoses.of(id, query, { signal: call.signal })) };
  },
});

/** An agent pays for each character: three suspects, and of long values the beginning. */
function shortDiagnosis(call: ToolCall, store: string, diagnosis: Diagnosis) {
  const { outcome, error, failingStep, lastGood, recovered, suspects, examined } = diagnosis;
  const { holds } = lastGood ?? {};
  const unread = examined.gaps.slice(0, GAPS).map(({ ref, reason }) => `${addressOf(store, ref)}: ${reason}`);
  const told = (one: DiagnosisStep) => shortStep(call, store, one);
  return {
    outcome,
    ...compact({
      error: error && {
        // The name of a step is no message.
        message: error.unsaid === true ? UNSAID : shortWords(call, error.message),
        from: error.from,
        ...compact({ node: error.node }),
      },
      failed: failingStep && { ...told(failingStep), ...compact({ before: failingStep.before }) },
      lastGood: lastGood && { ...told(lastGood), stepsBack: lastGood.back },
      holdSuspectValue: holds && { from: told(holds.from), to: told(holds.to) },
      recovered: recovered && told(recovered),
    }),
    suspects: suspects.slice(0, SUSPECTS).map((one) => shortSuspect(call, store, one)),
    examined: { checkpoints: examined.n, of: examined.of, ...(unread.length > 0 ? { unread } : {}) },
  };
}

function shortSuspect(call: ToolCall, store: string, suspect: SentSuspect) {
  const { path, kind, before, after, reasons } = suspect;
  return {
    ...shortStep(call, store, suspect),
    path,
    kind,
    ...compact({
      before: before === undefined ? undefined : shortValue(call, path, before),
      after: after === undefined ? undefined : shortValue(call, path, after),
    }),
    reasons: reasons.map((reason) => shortWords(call, reason)),
  };
}

function shortStep(call: ToolCall, store: string, { ref, seq, stepIndex, description }: DiagnosisStep) {
  return {
    checkpoint: addressOf(store, ref),
    step: stepIndex ?? seq,
    ...compact({ description: description === undefined ? undefined : shortWords(call, description) }),
  };
}

import { compact, memberOf, parseJson, stringOf } from '@checkpoint-inspector/core';
import type { JsonNode } from '@checkpoint-inspector/core';

/** What a state tells of its own way: by a `plan` with `currentStepIndex`, or by `completedSteps`. */
export interface Progress {
  readonly stepIndex?: number;
  readonly totalSteps?: number;
  readonly status?: 'failed' | 'completed' | 'running';
  /** Steps that a resumed run does not do again. */
  readonly stepsDone: number;
}

const DONE = ['completed', 'skipped'];

export function progressOf(text: string): Progress {
  const root = parseJson(text);
  const plan = arrayIn(root, 'plan');
  const stepIndex = numberIn(text, root, 'currentStepIndex') ?? numberIn(text, root, 'stepIndex');
  const at = stepIndex === undefined ? {} : { stepIndex };
  if (plan === undefined || plan.length === 0) {
    const done = arrayIn(root, 'completedSteps') ?? arrayIn(root, 'results') ?? [];
    return compact({ ...at, totalSteps: numberIn(text, root, 'totalSteps'), stepsDone: done.length });
  }
  const statuses = plan.map((step) => textIn(text, step, 'status'));
  const stepsDone = statuses.filter((status) => status !== undefined && DONE.includes(status)).length;
  const status = statuses.includes('failed') ? 'failed' : stepsDone === plan.length ? 'completed' : 'running';
  return { ...at, totalSteps: plan.length, status, stepsDone };
}

function childOf(node: JsonNode, key: string): JsonNode | undefined {
  return node.kind === 'object' ? memberOf(node, key)?.value : undefined;
}

function arrayIn(node: JsonNode, key: string): readonly JsonNode[] | undefined {
  const child = childOf(node, key);
  return child?.kind === 'array' ? child.items : undefined;
}

function textIn(text: string, node: JsonNode, key: string): string | undefined {
  const child = childOf(node, key);
  return child?.kind === 'string' ? stringOf(text, child) : undefined;
}

function numberIn(text: string, node: JsonNode, key: string): number | undefined {
  const child = childOf(node, key);
  if (child?.kind !== 'number') return undefined;
  const value = Number(text.slice(child.start, child.end));
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

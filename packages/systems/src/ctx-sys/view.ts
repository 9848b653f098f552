/** What a person wants to see of a ctx-sys state. Pure functions over JSON text; browser-safe. */
import { memberOf, messageIn, messagesIn, parseJson, valueAt } from '@checkpoint-inspector/core';
import { fieldsOf, jsonOf, recordOf, records, textOf, type Channel, type Fields } from '../folder/view.ts';

export interface Step {
  /** Position in the plan, from 0. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly action?: string;
  /** As stored. */
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'skipped' | 'unknown';
  /** Runs next. */
  readonly isCurrent: boolean;
  readonly dependencies: readonly string[];
  /** JSON of the output, where the step has a result. */
  readonly output?: string;
  readonly durationMs?: number;
  readonly tokenUsage?: number;
}

export interface Usage {
  /** Of all results that say; absent where none does. */
  readonly tokens?: number;
  readonly durationMs?: number;
}

const STATUSES: ReadonlySet<string> = new Set(['pending', 'running', 'completed', 'failed', 'skipped']);

/** The plan with the result of each step; empty for what the MCP tool saves. @throws InspectorError unreadable */
export function stepsOf(stateText: string): readonly Step[] {
  const state = fieldsOf(stateText);
  const results = new Map(records(state['results']).map((result) => [result['stepId'], result]));
  return records(state['plan']).map((step, index): Step => {
    const result = results.get(step['id']);
    const { status, action, dependencies } = step;
    return {
      index,
      id: textOf(step['id']),
      name: textOf(step['description']),
      ...(typeof action === 'string' ? { action } : {}),
      status: isStatus(status) ? status : 'unknown',
      isCurrent: index === state['currentStepIndex'],
      dependencies: Array.isArray(dependencies) ? dependencies.map(textOf) : [],
      ...(result && 'output' in result ? { output: jsonOf(result['output']) } : {}),
      ...numberMember('durationMs', result),
      ...numberMember('tokenUsage', result),
    };
  });
}

/** Lists of messages directly in the working memory: each item has a role and a content. @throws InspectorError unreadable */
export function messagesOf(stateText: string): readonly Channel[] {
  const context = valueAt(stateText, parseJson(stateText), ['context']);
  return (context?.kind === 'object' ? context.members : []).flatMap(({ key, value }) => {
    const items = value.kind === 'array' ? value.items : [];
    const isLast = context?.kind === 'object' && memberOf(context, key)?.value === value;
    const isList = isLast && items.length > 0 && items.every((item) => messageIn(stateText, item) !== undefined);
    return isList ? [{ channel: key, messages: messagesIn(stateText, value) }] : [];
  });
}

/** The last error, which ctx-sys keeps also after the step went well. @throws InspectorError unreadable */
export function errorOf(stateText: string): string | undefined {
  const { message } = recordOf(fieldsOf(stateText)['lastError']);
  return typeof message === 'string' ? message : undefined;
}

/** Tokens and time of all results together. @throws InspectorError unreadable */
export function usageOf(stateText: string): Usage {
  const results = records(fieldsOf(stateText)['results']);
  const tokens = sumOf(results, 'tokenUsage');
  const durationMs = sumOf(results, 'durationMs');
  return { ...(tokens === undefined ? {} : { tokens }), ...(durationMs === undefined ? {} : { durationMs }) };
}

function sumOf(results: readonly Fields[], key: string): number | undefined {
  const numbers = results.map((result) => result[key]).filter((value) => typeof value === 'number');
  return numbers.length === 0 ? undefined : numbers.reduce((sum, value) => sum + value, 0);
}

function numberMember<K extends string>(key: K, record?: Fields): { [key in K]?: number } {
  const value = record?.[key];
  return typeof value === 'number' ? ({ [key]: value } as { [key in K]?: number }) : {};
}

function isStatus(value: unknown): value is Exclude<Step['status'], 'unknown'> {
  return typeof value === 'string' && STATUSES.has(value);
}

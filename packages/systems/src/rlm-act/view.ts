/** What a person wants to see of an rlm-act checkpoint. Pure functions over its JSON text; browser-safe. */
import { parseJson, sourceOf, valueAt } from '@checkpoint-inspector/core';
import { fieldsOf, recordOf } from '../folder/view.ts';

/**
 * The phases in the order in which the pipeline runs them.
 * @example `${PHASES[0]}-complete` // 'research-complete'
 */
export const PHASES: readonly string[] = [
  'research',
  'decomposition',
  'tdd_planning',
  'multi_doc',
  'beads_sync',
  'implementation',
];

export interface Step {
  readonly name: string;
  readonly status: 'done' | 'failed' | 'running' | 'skipped' | 'pending';
  /** Files that the phase produced, as stored. */
  readonly artifacts: readonly string[];
  readonly errors: readonly string[];
  /** As stored: the Python pipeline's are local times without a zone. */
  readonly startedAt?: string;
  readonly completedAt?: string;
  /** Digits as stored. */
  readonly durationSeconds?: string;
}

const STATUSES: Readonly<Record<string, Step['status']>> = {
  complete: 'done',
  failed: 'failed',
  in_progress: 'running',
  pending: 'pending',
};

/** The six phases in order, then any others that have a result. @throws InspectorError unreadable */
export function stepsOf(stateText: string): readonly Step[] {
  const root = parseJson(stateText);
  const document = fieldsOf(stateText);
  const results = recordOf(recordOf(document['state'])['phase_results']);
  const skipped = /^(.+)-skipped$/.exec(textOf(document['phase']) ?? '')?.[1];
  const names = [...PHASES, ...Object.keys(results).filter((name) => !PHASES.includes(name))];
  return names.map((name) => {
    const result = recordOf(results[name]);
    const duration = valueAt(stateText, root, ['state', 'phase_results', name, 'duration_seconds']);
    const [startedAt, completedAt] = [textOf(result['started_at']), textOf(result['completed_at'])];
    const status = name === skipped ? 'skipped' : STATUSES[textOf(result['status']) ?? ''];
    return {
      name,
      status: status ?? 'pending',
      artifacts: textsOf(result['artifacts']),
      errors: textsOf(result['errors']),
      ...(startedAt === undefined ? {} : { startedAt }),
      ...(completedAt === undefined ? {} : { completedAt }),
      ...(duration?.kind === 'number' ? { durationSeconds: sourceOf(stateText, duration) } : {}),
    };
  });
}

/** The errors of the checkpoint, one a line; empty ones, which the pipeline writes too, are left out. */
export function errorOf(stateText: string): string | undefined {
  const errors = textsOf(fieldsOf(stateText)['errors']).filter((error) => error.trim() !== '');
  return errors.length > 0 ? errors.join('\n') : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

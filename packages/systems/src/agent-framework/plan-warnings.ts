import type { PlanWarning } from '@checkpoint-inspector/core';
import { differingExecutors } from './graph.ts';
import type { Facts } from './document.ts';
import { listedRows } from './latest.ts';
import { hasMixedTimes, isJustSaved, type CopyRequest } from '../folder/index.ts';
import { taskIn } from './folder.ts';
import type { PlacedRow, Snapshot, TaskRows } from './rows.ts';

/** What a person should know before a copy is made. `after` is the task with the copy in it. */
export function copyWarnings(
  request: CopyRequest,
  source: PlacedRow,
  facts: Facts,
  snapshot: Snapshot,
  after: TaskRows,
  now: Date,
): PlanWarning[] {
  const before = taskIn(snapshot, request.ref.task).rows;
  return [
    ...graphWarnings(facts, before),
    ...loadWarnings(facts),
    ...headWarnings(request, after),
    ...(facts.status === 'interrupted'
      ? [warning('interrupt_asked_again', 'A request to a person is pending. It will be asked again on resume.')]
      : []),
    ...(before.some((row) => isActive(row, source, now))
      ? [
          warning(
            'agent_active',
            'The workflow saved within the last minute. If it is still running, its next save will be newer.',
          ),
        ]
      : []),
  ];
}

/** Resuming needs the graph that the checkpoint was made with; the latest one tells of the graph of this version. */
function graphWarnings(facts: Facts, rows: readonly PlacedRow[]): PlanWarning[] {
  const head = rows.find((row) => row.isLatest)?.file.facts;
  const [then, now] = [facts.graphSignature, head?.graphSignature];
  if (!head || then === undefined || now === undefined || then === now) return [];
  const { added, removed, changed } = differingExecutors(facts.executors, head.executors);
  const parts = [
    ['only in this checkpoint', removed],
    ['only in the latest', added],
    ['described differently', changed],
  ] as const;
  const named = parts.filter(([, ids]) => ids.length > 0).map(([words, ids]) => `${words}: ${ids.join(', ')}`);
  const which =
    named.length > 0 ? `Executors ${named.join('; ')}.` : "The checkpoints don't record which executors differ.";
  return [warning('graph_changed', `The workflow's graph differs from the latest checkpoint's. ${which}`)];
}

function loadWarnings({ notLoaded, typesToAllow }: Facts): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  if (notLoaded !== undefined) warnings.push(warning('not_loaded', notLoaded));
  if (typesToAllow.length > 0) {
    const types = typesToAllow.slice(0, 5).join(', ');
    warnings.push(warning('types_not_allowed', `It can only be loaded if allowed_checkpoint_types includes ${types}.`));
  }
  return warnings;
}

function headWarnings(request: CopyRequest, { latest, rows }: TaskRows): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  if (hasMixedTimes(listedRows(rows, true))) {
    warnings.push(
      warning('mixed_times', 'get_latest raises TypeError here because some times have no UTC offset. Resume by id.'),
    );
  }
  if (request.kind !== 'fork' || request.targetTask !== undefined) return warnings;
  if (latest.basis === 'tie') {
    warnings.push(warning('tie', "The fork has exactly the same time as the latest, so the folder's order decides."));
  } else {
    warnings.push(warning('fork_not_latest', `"${latest.ref?.id}" stays the latest; resume the fork by its id.`));
  }
  return warnings;
}

function isActive({ file }: PlacedRow, source: PlacedRow, now: Date): boolean {
  return file.facts?.status === 'running' && file.entry.ino !== source.file.entry.ino && isJustSaved(file, now);
}

function warning(code: string, message: string): PlanWarning {
  return { code, message };
}

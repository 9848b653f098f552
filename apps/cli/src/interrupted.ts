/** What the command says about changes that the end of their process had cut off. */
import { isDelete } from '@checkpoint-inspector/changes';
import type { InterruptedChange, RecoveredIntent } from '@checkpoint-inspector/changes';
import type { Receipt } from '@checkpoint-inspector/core';
import { many, printable } from './output.ts';

/** @example 'A prune in k6' */
function nameOf({ request: { kind }, store }: Pick<RecoveredIntent, 'request' | 'store'>): string {
  return printable(`${/^[aeiou]/.test(kind) ? 'An' : 'A'} ${kind} in ${store}`);
}

/** @example 'A prune in k6 had been interrupted. What it had already deleted is back.' */
export function recoveredLine(recovered: RecoveredIntent): string {
  const { outcome, note, request, receipt } = recovered;
  const name = nameOf(recovered);
  if (outcome === 'waiting') return `${name} was interrupted and can't be undone or finished yet: ${printable(note)}`;
  if (outcome === 'completed') return `${name} had been interrupted and is now finished${finishedWords(receipt)}`;
  return isDelete(request)
    ? `${name} had been interrupted. What it had already deleted is back.`
    : `${name} had been interrupted. What it had already done is undone.`;
}

function finishedWords(receipt: Receipt | undefined): string {
  if (receipt === undefined) return '.';
  const { id, written, removed } = receipt;
  const counts = [
    ...(written.length === 0 ? [] : [`${many(written.length)} written`]),
    ...(removed.length === 0 ? [] : [`${many(removed.length)} deleted`]),
  ];
  return `${counts.length === 0 ? '' : `: ${counts.join(', ')}`}. Undo: checkpoint-inspector undo ${id}`;
}

/** @example 'A prune in k6 was interrupted: task run, begun 2026-01-01T00:00:00.000Z, 14 of 1,400 steps done. `undo` …' */
export function interruptedLine(one: InterruptedChange): string {
  const { task, begunAt, progress, request } = one;
  const far = progress && `${progress.done.toLocaleString('en')} of ${many(progress.of, 'step')} done`;
  const facts = [printable(`task ${task}`), `begun ${begunAt}`, ...(far === undefined ? [] : [far])].join(', ');
  const end = isDelete(request) ? 'puts back what it deleted' : 'undoes or finishes it';
  return `${nameOf(one)} was interrupted: ${facts}. \`undo\`, or the next change of this store, ${end}.`;
}

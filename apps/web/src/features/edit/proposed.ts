/** An edit that an agent proposed, as a person begins to change it. */
import { applyDifferences, InspectorError } from '@checkpoint-inspector/core';
import type { Proposal } from '../../lib/api.ts';
import type { Draft } from './draft.ts';

/**
 * The state with the proposed values, and the agent's reason under its name. Where they no longer belong to the state,
 * the state as it is.
 * @example proposedDraft('{"cache":true}', proposal).text // '{"cache":false}'
 */
export function proposedDraft(
  original: string,
  { edits = [], by, reason }: Pick<Proposal, 'edits' | 'by' | 'reason'>,
): Draft {
  return { text: withEdits(original, edits), reason: reason === undefined ? '' : `Proposed by ${by.name}: ${reason}` };
}

function withEdits(original: string, edits: NonNullable<Proposal['edits']>): string {
  try {
    return applyDifferences(original, edits);
  } catch (error) {
    if (InspectorError.is(error)) return original;
    throw error;
  }
}

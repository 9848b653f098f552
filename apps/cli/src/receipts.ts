import { isAt } from '@checkpoint-inspector/changes';
import type { Receipt } from '@checkpoint-inspector/core';
import type { Journal } from '@checkpoint-inspector/changes';
import type { Workspace } from './workspace.ts';

/** A receipt with the place of its store. */
export interface Kept {
  readonly receipt: Receipt;
  readonly location?: string;
}

/** All that the journal keeps, newest first. */
export function* receiptsOf(journal: Journal): Generator<Kept> {
  let cursor: string | undefined;
  do {
    const page = journal.receipts({ limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    for (const receipt of page.items) {
      const location = journal.intent(receipt.id)?.location;
      yield { receipt, ...(location === undefined ? {} : { location }) };
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/**
 * Whether it is a receipt of a store that is open: its place decides, since two stores may have one name, and one
 * store two names. Of several stores in one place the name decides.
 */
export function belongsHere(workspace: Workspace, { receipt, location }: Kept): boolean {
  const sources = workspace.sources();
  if (location === undefined) return sources.some(({ info }) => info.id === receipt.store);
  const there = sources.filter((source) => isAt(source, location));
  return there.length === 1 || there.some(({ info }) => info.id === receipt.store);
}

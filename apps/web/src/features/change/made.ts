/** The checkpoint that a change has just made, so that its row can be told from the others for a moment. */
import { type Address, formatAddress } from '@checkpoint-inspector/core';
import { createSignal } from '../../lib/signal.ts';

/** As long as the mark is drawn. */
const MARK_MS = 2_400;

const made = createSignal<string | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;

export function markMade(at: Address): void {
  clearTimeout(timer);
  made.set(formatAddress(at));
  timer = setTimeout(() => made.set(undefined), MARK_MS);
}

/** @example const isMade = useMade(); isMade({ store, ...ref }) */
export function useMade(): (at: Address) => boolean {
  const marked = made.use();
  return (at) => marked !== undefined && marked === formatAddress(at);
}

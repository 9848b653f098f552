/** Actions of the page in view, offered by the palette. */
import { useEffect, useRef } from 'react';
import { createSignal } from '../../lib/signal.ts';

interface PaletteAction {
  readonly label: string;
  readonly kbd?: string;
  readonly disabledReason?: string | undefined;
  readonly run: () => void;
}

const offered = createSignal<readonly PaletteAction[]>([]);

/** Offers actions for as long as the component is shown. */
export function useActions(actions: readonly PaletteAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  const shape = actions.map((action) => `${action.label}|${action.disabledReason ?? ''}`).join('\n');
  useEffect(() => {
    // Run through the ref: the action of the newest render, not of the one that offered it.
    offered.set(latest.current.map((action, index) => ({ ...action, run: () => latest.current[index]?.run() })));
    return () => offered.set([]);
  }, [shape]);
}

export const useOfferedActions = offered.use;

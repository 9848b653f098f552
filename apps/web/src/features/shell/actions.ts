/** Actions of the page in view, offered by the palette. */
import { useEffect, useRef, useSyncExternalStore } from 'react';

export interface PaletteAction {
  readonly label: string;
  readonly kbd?: string;
  readonly disabledReason?: string | undefined;
  readonly run: () => void;
}

let current: readonly PaletteAction[] = [];
const listeners = new Set<() => void>();

function set(actions: readonly PaletteAction[]): void {
  current = actions;
  for (const listener of listeners) listener();
}

/** Offers actions for as long as the component is shown. */
export function useActions(actions: readonly PaletteAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  const shape = actions.map((action) => `${action.label}|${action.disabledReason ?? ''}`).join('\n');
  useEffect(() => {
    // Run through the ref: the action of the newest render, not of the one that offered it.
    set(latest.current.map((action, index) => ({ ...action, run: () => latest.current[index]?.run() })));
    return () => set([]);
  }, [shape]);
}

export const useOfferedActions = (): readonly PaletteAction[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );

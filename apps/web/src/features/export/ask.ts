/** Opens the export dialog from wherever a task is shown. */
import { useSyncExternalStore } from 'react';

export interface ExportTarget {
  readonly store: string;
  readonly task: string;
}

let asked: ExportTarget | undefined;
const listeners = new Set<() => void>();

export function askExport(target: ExportTarget | undefined): void {
  asked = target;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useAskedExport = (): ExportTarget | undefined => useSyncExternalStore(subscribe, () => asked);

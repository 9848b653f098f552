/** Opens the export dialog from wherever a task is shown. */
import { createSignal } from '../../lib/signal.ts';

export interface ExportTarget {
  readonly store: string;
  readonly task: string;
}

const asked = createSignal<ExportTarget | undefined>(undefined);

export const askExport = asked.set;
export const useAskedExport = asked.use;

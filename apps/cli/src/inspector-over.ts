import type { Journal } from '@checkpoint-inspector/changes';
import { createInspector, overJournal, type Inspector, type InspectorDeps } from '@checkpoint-inspector/inspector';

interface Given extends Omit<InspectorDeps, 'changes' | 'annotations'> {
  readonly journal: Journal;
}

/** What can be asked of open stores beyond their lists; in a file of its own, which small commands don't load. */
export const inspectorOver = ({ journal, ...deps }: Given): Inspector =>
  createInspector({ ...deps, ...overJournal(journal, deps) });

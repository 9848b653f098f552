/** A process that makes one change and kills itself at one step: node crash-child.mjs '{"journal", "store", "kind", "request", "step"}'. */
import { InspectorError, type ChangeRequest, type CheckpointSource } from '@checkpoint-inspector/core';
import { openJournal } from '../journal/journal.ts';
import { createChangeService } from '../service.ts';
import { FolderStore, DatabaseStore, STORE } from './stores.ts';

export interface CrashOrder {
  readonly journal: string;
  readonly store: string;
  readonly kind: 'folder' | 'sqlite' | 'wal';
  readonly request: ChangeRequest;
  /** A step that never comes lets it end. */
  readonly step: string;
}

const order = JSON.parse(process.argv[2] ?? '') as CrashOrder;
const store: CheckpointSource =
  order.kind === 'folder' ? new FolderStore(order.store, 3) : new DatabaseStore(order.store, 3);
const steps: string[] = [];
const service = createChangeService({
  journal: openJournal({ folder: order.journal }),
  sources: () => store,
  readOnly: false,
  onStep: (step) => {
    steps.push(step);
    if (step === order.step) process.kill(process.pid, 'SIGKILL');
  },
});

try {
  const plan = await service.preview(STORE, order.request);
  const receipt = await service.apply(plan.id);
  console.log(JSON.stringify({ steps, receipt }));
} catch (error) {
  console.log(JSON.stringify({ steps, error: InspectorError.from(error).toWire() }));
}

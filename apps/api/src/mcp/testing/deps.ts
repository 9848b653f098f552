/** For tests: what the tools are given, over these stores. */
import { createInspector, type StoreService } from '@checkpoint-inspector/inspector';
import { recordingChanges } from '../../testing/app.ts';

export function inspectorOver(stores: StoreService) {
  return createInspector({ stores, changes: recordingChanges().changes, readOnly: false, waitMs: 10_000 });
}

export function toolDeps(stores: StoreService, reveal = false) {
  return { inspector: inspectorOver(stores), readOnly: false, reveal, client: () => undefined };
}

/** Of a server of the protocol. */
export function mcpDeps(stores: StoreService, reveal = false) {
  return { inspector: inspectorOver(stores), status: { version: '0', readOnly: false }, reveal };
}

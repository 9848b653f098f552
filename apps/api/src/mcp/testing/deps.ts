/** For tests: what the tools are given, over these stores. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '@checkpoint-inspector/changes';
import { createInspector, overJournal, type StoreService } from '@checkpoint-inspector/inspector';

/** One that goes with the process. */
export function testJournal() {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-journal-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return openJournal({ folder });
}

/** With a journal of its own. */
export function inspectorOver(stores: StoreService, journal = testJournal()) {
  return createInspector({ ...overJournal(journal, { stores, readOnly: false }), waitMs: 10_000 });
}

/** What is saved is another test's matter: every task may be saved to. */
export function toolDeps(stores: StoreService, reveal = false) {
  const inspector = inspectorOver(stores);
  const client = () => undefined;
  return {
    inspector,
    readOnly: false,
    reveal,
    client,
    agent: inspector.agents.session({ client, grants: ['may=save'] }),
  };
}

/** Of a server of the protocol. */
export function mcpDeps(stores: StoreService, reveal = false) {
  return { inspector: inspectorOver(stores), status: { version: '0', readOnly: false }, reveal };
}

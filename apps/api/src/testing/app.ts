/** For tests: the app over memory stores, asked as a browser page of its own origin would. */
import { shownRequest, storeId } from '@checkpoint-inspector/core';
import type { MemoryStore, PlanView, Receipt, ShownRequest, StoreId } from '@checkpoint-inspector/core';
import { z } from '@hono/zod-openapi';
import { createApp, type AppDeps } from '../app.ts';
import { seededStore } from '@checkpoint-inspector/inspector/testing/seeded';
import type { ChangeService } from '@checkpoint-inspector/changes';
import { createInspector, createStoreService, type InspectorDeps } from '@checkpoint-inspector/inspector';

export const TOKEN = 'test-token-0123456789-abcdefghijklmnopqrstu';
export const HOST = '127.0.0.1:4600';
export const status = { version: '0.0.0', readOnly: false, demo: false, pid: 1, startedAt: '2026-01-01T00:00:00.000Z' };

/** A change service that notes what it was asked, and answers in the wire's form. */
export function recordingChanges() {
  const asked: string[] = [];
  const listeners = new Set<Parameters<ChangeService['onChange']>[0]>();
  const none = { count: 0, items: [] };
  const plan = (store: StoreId, request: ShownRequest): PlanView => ({
    id: 'plan-1',
    expiresAt: status.startedAt,
    request,
    store,
    task: 'run-1',
    preconditions: [],
    writes: none,
    moves: none,
    removes: none,
    evicts: none,
    protected: none,
    warnings: [],
    latestBefore: { basis: 'none' },
    bytesFreed: 0,
  });
  const receipt: Receipt = {
    id: 'receipt-1',
    planId: 'plan-1',
    request: { kind: 'delete', refs: [] },
    store: storeId('memory'),
    task: 'run-1',
    appliedAt: status.startedAt,
    done: [],
    failed: [],
    written: [],
    removed: [],
    latestNow: { basis: 'none' },
    proof: 'none',
    undoable: true,
  };
  const changes: ChangeService = {
    preview: async (store, request) => {
      asked.push(`preview ${request.kind}`);
      return plan(store, await shownRequest(request));
    },
    apply: async (id) => {
      asked.push(`apply ${id}`);
      return receipt;
    },
    check: async () => undefined,
    undo: async (id) => {
      asked.push(`undo ${id}`);
      return receipt;
    },
    receipts: async () => ({ items: [receipt] }),
    receipt: async (id) => (id === receipt.id ? receipt : undefined),
    planItems: async () => ({ items: [] }),
    trash: async () => ({ items: [] }),
    bin: emptyBin(),
    recover: async () => [],
    interrupted: async () => [],
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const announce = () => {
    for (const listener of listeners) listener({ store: receipt.store, task: receipt.task, receipt });
  };
  return { changes, asked, announce };
}

function emptyBin(): ChangeService['bin'] {
  const none = { changes: 0, checkpoints: 0, bytes: 0 };
  return {
    path: '/nowhere/journal.sqlite',
    summary: () => ({ ...none, expired: none, keepDays: 30 }),
    preview: () => ({ id: 'purge-1', expiresAt: status.startedAt, changes: [], checkpoints: 0, bytes: 0 }),
    purge: () => ({ ...none, left: [] }),
    keptUntil: () => status.startedAt,
    keepFor: () => undefined,
  };
}

export async function testApp(deps: Partial<AppDeps & InspectorDeps> = {}, store?: MemoryStore) {
  const memory = store ?? (await seededStore());
  const stores = createStoreService({ registry: { open: async () => [] } });
  stores.add(memory);
  const recorder = recordingChanges();
  const guards = { token: TOKEN, hosts: [HOST, 'localhost:4600'] };
  const { readOnly } = deps.status ?? status;
  const inspector = createInspector({ stores, changes: recorder.changes, readOnly, ...deps });
  const app = createApp({ inspector, status, guards, ...deps });
  const ask = (path: string, init: RequestInit = {}) => {
    const headers = { host: HOST, authorization: `Bearer ${TOKEN}`, ...init.headers };
    return app.request(`http://${HOST}${path}`, { ...init, headers });
  };
  return { app, ask, store: memory, stores, inspector, ...recorder };
}

/** Sends JSON. */
export function jsonBody(value: unknown): RequestInit {
  return { method: 'POST', body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}

const wireSchema = z.looseObject({
  items: z.array(z.looseObject({ id: z.string().optional(), summary: z.string().optional() })).default([]),
  cursor: z.string().optional(),
  error: z
    .looseObject({ code: z.string(), data: z.looseObject({ candidates: z.array(z.unknown()).optional() }).optional() })
    .default({ code: 'none' }),
});

/** The body of an answer, as far as tests look into it. */
export async function wire(answer: Response | Promise<Response>) {
  return wireSchema.parse(await (await answer).json());
}

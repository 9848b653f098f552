/** The page as a file: a bundle is in it, and it asks nothing of any server. */
import { BundleParts, BundleSource, bundleInfo, storeIdFrom, type CheckpointSource } from '@checkpoint-inspector/core';
import { aText, fields, parseOrUndefined } from '../read.ts';
import { createAnswers } from './answers.ts';
import './page.ts';

const documentOf = fields({ madeBy: aText, exportedAt: aText });

/** @param text a bundle, as `export` writes it @throws InspectorError unreadable | unsupported_version */
export function sourceIn(text: string): CheckpointSource {
  const document: unknown = JSON.parse(text);
  const parts = new BundleParts<unknown>();
  for (const [name, value] of Object.entries(Object(document))) {
    if (name !== 'tasks') parts.member(name, value);
    else for (const [at, task] of listOf(value).entries()) addTask(parts, at, task);
  }
  const store = storeIdFrom('bundle');
  const bundle = parts.end(store);
  const label = bundle.head.store.label || 'bundle';
  return new BundleSource(bundleInfo({ id: store, label }, bundle), bundle, async (checkpoint) => checkpoint);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function addTask(parts: BundleParts<unknown>, at: number, value: unknown): void {
  const task = new Map<string, unknown>(Object.entries(Object(value)));
  parts.task(at, task.get('task'));
  for (const checkpoint of listOf(task.get('checkpoints'))) parts.checkpoint(at, checkpoint, checkpoint);
}

/** @param text a bundle */
function startViewer(text: string): void {
  // Only Node has it; what is shared with the server lets others have their turn by it.
  if (!('setImmediate' in globalThis))
    Object.assign(globalThis, { setImmediate: (run: () => void) => setTimeout(run) });
  keepNothing();
  const { madeBy = '', exportedAt = '' } = documentOf(parseOrUndefined(text));
  const made = { version: madeBy.split(' ')[1] ?? '', startedAt: exportedAt };
  globalThis.checkpointViewer = { fetch: createAnswers(sourceIn(text), made) };
}

/** Browsers give all files one storage: what is typed here must not be left in it. */
function keepNothing(): void {
  for (const name of ['localStorage', 'sessionStorage']) {
    const kept = new Map<string, string>();
    const value = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => void kept.set(key, text),
      removeItem: (key: string) => void kept.delete(key),
    };
    Object.defineProperty(globalThis, name, { value });
  }
}

const bundle = document.getElementById('bundle')?.textContent;
if (bundle) startViewer(bundle);

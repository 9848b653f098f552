import { resolve } from 'node:path';
import { createChangeService, createStoreService } from '@checkpoint-inspector/api';
import type { ChangeService, StoreService } from '@checkpoint-inspector/api';
import { InspectorError } from '@checkpoint-inspector/core';
import type { Receipt } from '@checkpoint-inspector/core';
import { journalFolder, openJournal } from '@checkpoint-inspector/journal';
import type { Journal } from '@checkpoint-inspector/journal';
import type { Output } from './output.ts';

/** Open stores with everything that a command needs; `close` lets all of it go. */
export interface Session {
  readonly stores: StoreService;
  readonly changes: ChangeService;
  readonly journal: Journal;
  /** A receipt may be of a store that this command was not pointed at. */
  openStoreOf(receipt: Receipt): Promise<void>;
  close(): Promise<void>;
}

/** What each command gets. */
export interface Run {
  readonly session: Session;
  readonly output: Output;
  wholeNumber(option: string, text: string | undefined, range: { from: number; to: number }): number | undefined;
}

/** `name=path` gives a store a name; a bare path is named after its file or folder. */
export function parseTarget(text: string): { path: string; name?: string } {
  const named = /^([a-z0-9-]+)=(.+)$/.exec(text);
  if (named?.[1] && named[2]) return { path: resolve(named[2]), name: named[1] };
  return { path: resolve(text) };
}

export function wholeNumber(option: string, text: string | undefined, range: { from: number; to: number }): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.from && value <= range.to) return value;
  throw new InspectorError('invalid_input', `${option} takes a whole number from ${range.from} to ${range.to}, not "${text}".`);
}

/**
 * Opens the named targets, or every known store below the working folder.
 * @throws InspectorError no_store
 */
export async function openSession(targets: readonly string[], options: { readOnly: boolean }): Promise<Session> {
  const journal = openJournal({ folder: journalFolder(process.env, process.platform) });
  const stores = createStoreService({ journal });
  const changes = createChangeService({ journal, sources: (store) => stores.get(store), readOnly: options.readOnly });
  const close = async (): Promise<void> => {
    await stores.close();
    journal.close();
  };
  try {
    await openTargets(stores, targets);
    await changes.recover();
  } catch (error) {
    await close();
    throw error;
  }
  return { stores, changes, journal, close, openStoreOf: (receipt) => reopen(stores, receipt) };
}

/** Opens each target; without any, what is found below the working folder. */
export async function openTargets(stores: StoreService, targets: readonly string[]): Promise<void> {
  const wanted = targets.length > 0 ? targets.map(parseTarget) : await stores.discover(process.cwd());
  if (wanted.length === 0) {
    throw new InspectorError('no_store', `No checkpoints found below ${process.cwd()}.`);
  }
  for (const { path, ...name } of wanted) await stores.open(path, name);
}

async function reopen(stores: StoreService, receipt: Receipt): Promise<void> {
  if (stores.list().some(({ info }) => info.id === receipt.store)) return;
  throw new InspectorError('not_found', `The receipt is of the store "${receipt.store}", which is not open.`, {
    remedy: 'Name that store with --store <path>.',
  });
}

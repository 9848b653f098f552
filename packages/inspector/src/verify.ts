/** Whether everything in the open stores can be read, and whether their database files are sound. */
import { InspectorError, verifySource } from '@checkpoint-inspector/core';
import type { CheckpointSource, StoreId, VerifyReport } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { statSync } from 'node:fs';
import { brief } from './errors.ts';
import type { StoreFailure, StoreService } from './stores/types.ts';
import { readsDatabases } from './stores/registry.ts';

export interface StoreVerified extends VerifyReport {
  /** What SQLite's own check answered, `ok` or its complaints; only of a database file. */
  readonly integrity?: readonly string[];
}

export interface Verified {
  readonly items: readonly StoreVerified[];
  /** Stores that could not be looked at. */
  readonly failures: readonly StoreFailure[];
  /** Damaged checkpoints, damaged database files and stores that could not be looked at. */
  readonly damaged: number;
}

const COMPLAINTS = 20;

/** One store after the other; each is read whole. */
export async function verifyStores(stores: StoreService): Promise<Verified> {
  // The task list names those inside an opened folder that failed to open.
  const failures = [...(await stores.tasks({ limit: 1 })).failures];
  const known = new Set(failures.map(({ store }) => store));
  const checked = new Map<string, readonly string[]>();
  const items: StoreVerified[] = [];
  for (const { id } of stores.list()) {
    if (known.has(id)) continue;
    try {
      items.push(await verifyStore(stores.source(id), databaseOf(stores, id), checked));
    } catch (error) {
      failures.push({ store: id, error: brief(error) });
    }
  }
  const isBad = ({ integrity }: StoreVerified) => integrity !== undefined && !isOk(integrity);
  const inStores = items.reduce((sum, item) => sum + item.damaged + Number(isBad(item)), 0);
  return { items, failures, damaged: inStores + failures.length };
}

const isOk = ([first]: readonly string[]): boolean => first === 'ok';

/** @param checked answers for files that another store of the same file has asked for */
async function verifyStore(
  source: CheckpointSource,
  database: string | undefined,
  checked: Map<string, readonly string[]>,
): Promise<StoreVerified> {
  const report = await verifySource(source);
  if (database === undefined) return report;
  const integrity = checked.get(database) ?? integrityOf(database);
  checked.set(database, integrity);
  return { ...report, integrity };
}

/** The file that was opened, which is inside the folder where a folder was named. */
function databaseOf(stores: StoreService, id: StoreId): string | undefined {
  const { location, system } = stores.source(id).info;
  const as = stores.origin(id)?.as;
  if (as !== undefined) {
    const { target } = as;
    return target.kind === 'path' && target.is === 'file' && readsDatabases(as.system) ? target.path : undefined;
  }
  return location !== undefined && readsDatabases(system) && isFile(location) ? location : undefined;
}

/** Asked through SQLite only: a database that is open is not opened and closed beside it. */
function integrityOf(path: string): readonly string[] {
  const database = openSqlite(path, { readOnly: true });
  try {
    const rows = database.prepare<Record<string, unknown>>(`PRAGMA integrity_check(${COMPLAINTS})`).all();
    return rows.flatMap((row) => Object.values(row).map(String));
  } catch (error) {
    return [InspectorError.from(error).message];
  } finally {
    database.close();
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** A store whose format is described: opened for reading, and for changes where the description says how a copy goes in. */
import {
  InspectorError,
  type Capability,
  type Changeable,
  type CheckpointSource,
  type Plan,
  type StoreId,
  type StoreInfo,
  type SystemRequest,
  type Unwatch,
} from '@checkpoint-inspector/core';
import {
  openPostgres,
  postgresChangeable,
  postgresJob,
  readingSource,
  realPath,
  sqliteJob,
  sqliteSource,
  watchFolder,
  watchPostgres,
  type PostgresDatabase,
  type SqliteDatabase,
  type SqliteRules,
  type SqliteSourceOptions,
} from '@checkpoint-inspector/io';
import { defined } from '../folder/document.ts';
import { copyable, NO_COPY, planRows } from './copy-rows.ts';
import type { Description } from './description.ts';
import { postgresSql, sqliteSql } from './dialects.ts';
import { Documents, type DocumentRow, type DocumentSnapshot, type FilesDescription } from './documents.ts';
import { listed, type ListedRow } from './listed.ts';
import { columnsOf, Table, type TableDescription, type TableRow } from './rows.ts';

type Source = CheckpointSource & Changeable;
type Names = Pick<SqliteSourceOptions, 'id' | 'label' | 'location' | 'now'>;

function infoOf(
  { id, label, location }: Names,
  description: Description,
  { identity, change }: { readonly identity: string; readonly change: Capability },
): StoreInfo {
  const { name, order, values, volatile, notes } = description;
  const by = [...order, values.time].find((one) => one !== undefined && one !== 'rowid');
  return defined({
    id,
    label,
    location,
    identity,
    system: name,
    latestRule: by === undefined ? 'most recently saved' : `newest ${by}`,
    volatilePaths: [...volatile],
    indexed: { n: 1, of: 1 },
    capabilities: { restore: change, fork: change, edit: change, delete: change },
    notes: notes.length > 0 ? notes : undefined,
  });
}

/** @throws InspectorError no_store | unreadable | busy */
export function openTable(options: SqliteSourceOptions, description: TableDescription): Source {
  const { path, now } = options;
  return sqliteSource<Table>(path, {
    read: (database) => new Table(sqliteSql(database, hasRowid(database, description.table)), description),
    info: ({ isInserted }, changeable) => {
      const can = copyable(description, { isInserted, hasSequence: false });
      return infoOf(options, description, {
        identity: realPath(path),
        change: changeable(can === true ? undefined : can),
      });
    },
    ...tableRules(defined({ store: options.id, job: () => sqliteJob(path), now }), description.name),
  });
}

const hasRowid = (database: SqliteDatabase, table: string): boolean =>
  database.prepare<{ wr: number }>("SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'").get(table)?.wr !== 1;

/** @throws InspectorError no_store | wrong_key | busy */
export async function openPostgresTable(
  url: string,
  schema: string,
  names: Names,
  description: TableDescription,
): Promise<Source> {
  const database = await openPostgres(url, { schema });
  const { table } = description;
  const { isJson, hasSequence } = await postgresFacts(database, description);
  const can = copyable(description, { isInserted: false, hasSequence });
  const change = can === true ? await postgresChangeable(database, schema, [table]) : can;
  const open = (): Table => new Table(postgresSql(database, database.version, isJson), description);
  return readingSource<Table>(
    tableRules(
      defined({
        store: names.id,
        job: (tasks: readonly string[]) => postgresJob(database.identity, tasks),
        now: names.now,
      }),
      description.name,
    ),
    {
      take: ({ signal }) => {
        signal?.throwIfAborted();
        return open();
      },
      info: () =>
        infoOf({ ...names, location: database.address }, description, { identity: database.identity, change }),
      watch: (onChange) => watchPostgres(database, onChange, { tables: [table] }),
      close: () => database.close(),
    },
  );
}

/** Of the columns of state and id. */
async function postgresFacts(database: PostgresDatabase, { table, values }: TableDescription) {
  const sql = `SELECT data_type IN ('json', 'jsonb') AS json, is_identity = 'YES' OR coalesce(column_default, '') LIKE 'nextval(%' AS sequence
    FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2 AND column_name = $3`;
  const columnAt = async (column = '') =>
    (await database.query<{ json: boolean; sequence: boolean }>(sql, [database.schema, table, column]))[0];
  const [state, id] = [await columnAt(values.state), await columnAt(values.id)];
  return { isJson: state?.json ?? false, hasSequence: id?.sequence ?? false };
}

/** @param root the folder that the pattern of files begins in */
export function openDocuments(root: string, names: Names, description: FilesDescription): Source {
  const documents = new Documents(root, description);
  const lists = listed<DocumentSnapshot>({
    store: names.id,
    system: description.name,
    tasks: (read) => read.tasks(),
    rows: (read, task) => read.rows(task).map(listedDocument),
  });
  return readingSource<DocumentSnapshot>(
    {
      ...lists,
      state: (read, ref) => read.state(ref),
      raw: (read, ref) => read.stored(ref),
      find: (read, id) => read.find(id),
      plan: async () => {
        throw new InspectorError('unsupported', NO_COPY);
      },
    },
    {
      take: async ({ signal }) => {
        signal?.throwIfAborted();
        return documents.now();
      },
      info: () => infoOf(names, description, { identity: `${realPath(root)}#${description.files}`, change: NO_COPY }),
      watch: (onChange) => watchFolders(documents, onChange),
      close: () => undefined,
    },
  );
}

/** The folders that hold its files; one that is made later is found when a new file changes a folder that was there. */
function watchFolders(documents: Documents, onChange: () => void): Unwatch {
  const watched = new Map<string, Unwatch>();
  let isOver = false;
  const follow = async (): Promise<void> => {
    for (const folder of await documents.folders()) {
      if (isOver) return;
      if (!watched.has(folder)) watched.set(folder, watchFolder(folder, changed));
    }
  };
  const changed = (): void => {
    onChange();
    void follow();
  };
  void follow();
  return () => {
    isOver = true;
    for (const unwatch of watched.values()) unwatch();
  };
}

/** Whether a table has all columns that the description reads. */
export const hasColumns = (description: Description, columns: readonly string[]): boolean =>
  columns.length > 0 && columnsOf(description).every((column) => columns.includes(column));

interface TablePlace {
  readonly store: StoreId;
  /** Answers a job for these tasks, or why nothing can be changed. */
  readonly job: Parameters<typeof planRows>[0]['job'];
  readonly now?: () => Date;
}

/** The rules of a store whose checkpoints are rows of one table. */
function tableRules({ store, job, now = () => new Date() }: TablePlace, system: string) {
  const lists = listed<Table>({
    store,
    system,
    tasks: (table) => table.tasks(),
    rows: async (table, task) => (await table.rows(task)).map(listedRow),
  });
  return {
    ...lists,
    state: (table, ref) => table.state(ref),
    raw: async (table, ref) => {
      const cell = await table.stored(ref);
      return cell === undefined || cell instanceof Uint8Array ? cell : new TextEncoder().encode(cell ?? '');
    },
    find: (table, id) => table.find(id),
    plan: async (table: Table, request: SystemRequest, info): Promise<Plan> => {
      const can = info.capabilities[request.kind];
      if (can !== true) throw new InspectorError('unsupported', can);
      return planRows({ store, table, job, latest: lists.latest, now: now() }, request);
    },
  } satisfies Omit<SqliteRules<Table>, 'read' | 'info'>;
}

function listedRow(row: TableRow): ListedRow {
  const { again: _, at: __, ...listedAs } = row;
  return listedAs;
}

function listedDocument(row: DocumentRow): ListedRow {
  const { task: _, path: __, range: ___, ...listedAs } = row;
  return listedAs;
}

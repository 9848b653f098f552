import type { CheckpointMeta, CheckpointStore, Match, OpenOptions, System, Target } from '@checkpoint-inspector/core';
import { InspectorError } from '@checkpoint-inspector/core';
import { isPostgresAddress, openPostgres, postgresSchemasOf, storeMetaIn } from '@checkpoint-inspector/io';
import { TABLES } from './schema.ts';
import { openPostgresStore, openThere, type PostgresStore, type PostgresStoreOptions } from './store.ts';

/** Schemas of our own in PostgreSQL, as the registry opens them: read-only. */
export const postgresSystem: System = {
  id: 'native',
  label: 'Checkpoint Inspector',

  async detect(target: Target): Promise<Match | undefined> {
    if (target.kind !== 'address' || !isPostgresAddress(target.url)) return undefined;
    const found = await schemasAt(target.url);
    if (found.length === 0) return undefined;
    const schemas = found.map((schema) => `"${schema}"`).join(', ');
    const because = `a store of this program in the ${found.length === 1 ? 'schema' : 'schemas'} ${schemas}`;
    return { system: 'native', because, confidence: 1 };
  },

  async open(target: Target, options: OpenOptions) {
    if (target.kind !== 'address') throw new InspectorError('unsupported', 'A schema is opened by an address.');
    const { url } = target;
    const schemas = await schemasAt(url);
    const sources: PostgresStore[] = [];
    const failures: { readonly label: string; readonly error: unknown }[] = [];
    for (const schema of schemas) {
      const label = schemas.length === 1 ? options.label : `${options.label} ${schema}`;
      try {
        const named = { url, schema, label, id: options.nameStore(label) };
        const source = await openPostgresStore({ ...named, readOnly: true });
        sources.push(Object.assign(source, { save: (...given: Save) => saveBeside(named, given) }));
      } catch (error) {
        failures.push({ label, error });
      }
    }
    // One that a newer version made doesn't hide the others.
    if (sources.length === 0 && failures[0]) throw failures[0].error;
    for (const { label, error } of failures) options.onFailure?.(label, error);
    return sources;
  },
};

/** Those with a store of ours, of any format, that this user may read: the one that the address names, else all. */
async function schemasAt(url: string): Promise<string[]> {
  const database = await openPostgres(url);
  try {
    const found: string[] = [];
    for (const schema of await postgresSchemasOf(database, url, TABLES)) {
      const meta = await storeMetaIn(database, schema).catch(ifReadable);
      if (meta) found.push(schema);
    }
    return found;
  } finally {
    await database.close();
  }
}

/** Another team's schema in the same database. */
function ifReadable(error: unknown): undefined {
  if (!InspectorError.is(error) || error.code !== 'unreadable') throw error;
}

type Save = Parameters<CheckpointStore['save']>;

/** The inspector only reads its connection, so a save gets one of its own for the moment. */
async function saveBeside(named: PostgresStoreOptions, given: Save): Promise<CheckpointMeta> {
  const store = await openThere(named);
  try {
    return await store.save(...given);
  } finally {
    await store.close();
  }
}

import {
  InspectorError,
  type AddressTarget,
  type CheckpointSource,
  type Match,
  type OpenOptions,
} from '@checkpoint-inspector/core';
import { isPostgresAddress, openPostgres, postgresSchemasOf, type PostgresDatabase } from '@checkpoint-inspector/io';
import { postgresSource } from './source.ts';
import { changeableIn, layoutOf, TABLES, type Layout } from './tables.ts';

interface Found {
  readonly schema: string;
  readonly layout: Layout;
}

/** Looks at the columns of the tables, in the schema of the address or in every one. @throws InspectorError no_store | wrong_key | busy */
export async function detectPostgres({ url }: AddressTarget): Promise<Match | undefined> {
  if (!isPostgresAddress(url)) return undefined;
  const database = await openPostgres(url);
  try {
    const found = await schemasOf(database, url);
    if (found.length === 0) return undefined;
    const schemas = found.map(({ schema }) => `"${schema}"`).join(', ');
    const because = `the tables ${TABLES.join(', ')} in the ${found.length === 1 ? 'schema' : 'schemas'} ${schemas}`;
    return { system: 'langgraph', because, confidence: 0.95 };
  } finally {
    await database.close();
  }
}

/** One store for each schema that has the tables. @throws InspectorError no_store | wrong_key | busy | … */
export async function openPostgresStores({ url }: AddressTarget, options: OpenOptions): Promise<CheckpointSource[]> {
  const looking = await openPostgres(url);
  try {
    const found = await schemasOf(looking, url);
    if (found.length === 0) throw nothingIn(looking);
    const sources: CheckpointSource[] = [];
    for (const { schema, layout } of found) {
      const label = found.length === 1 ? options.label : `${options.label} ${schema}`;
      const database = await openPostgres(url, { schema });
      const changeable = await changeableIn(database, layout);
      sources.push(postgresSource(database, { id: options.nameStore(label), label, layout, changeable }));
    }
    return sources;
  } finally {
    await looking.close();
  }
}

/** The schema that the address names, else all that have the tables. */
async function schemasOf(database: PostgresDatabase, url: string): Promise<Found[]> {
  const found: Found[] = [];
  for (const schema of await postgresSchemasOf(database, url, TABLES)) {
    const layout = await layoutOf(database, schema);
    if (layout) found.push({ schema, layout });
  }
  return found;
}

function nothingIn({ address }: PostgresDatabase): InspectorError {
  return new InspectorError('no_store', `${address}: LangGraph's tables ${TABLES.join(', ')} aren't there.`, {
    remedy: 'Name the database, and with ?schema= the schema, that LangGraph saves to.',
    data: { address },
  });
}

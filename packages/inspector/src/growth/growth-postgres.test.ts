/** Growth of a thread in a real PostgreSQL server, whose checkpoints share their values. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { collect } from '@checkpoint-inspector/core/testing';
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultRegistry } from '../stores/registry.ts';
import { createStoreService } from '../stores/service.ts';
import { everyRow } from '../stores/task-lists.ts';
import { explainGrowth } from './growth.ts';

const DUMP = new URL('../../../systems/src/langgraph/fixtures/js-postgres.sql.gz', import.meta.url);

describeWithPostgres('growth of a thread in PostgreSQL', () => {
  let database: TestPostgres;
  let stores: ReturnType<typeof createStoreService>;
  beforeAll(async () => {
    database = await postgresForTests();
    await database.load(gunzipSync(readFileSync(DUMP)).toString());
    stores = createStoreService({ registry: defaultRegistry() });
  });
  afterAll(async () => {
    await stores.closeAll();
    await database.close();
  });

  it('counts each stored value once, and says that checkpoints share them', async () => {
    const [info] = await stores.open(database.url);
    if (info === undefined) throw new Error('The database opens as a store.');
    const source = stores.source(info.id);
    const thread = 'long-run';
    const answer = await explainGrowth(source, thread);
    const sql = `SELECT ((SELECT sum(pg_column_size(checkpoint) + pg_column_size(metadata)) FROM checkpoints WHERE thread_id = $1)
      + (SELECT sum(octet_length(blob)) FROM checkpoint_blobs WHERE thread_id = $1)
      + (SELECT sum(octet_length(blob)) FROM checkpoint_writes WHERE thread_id = $1))::float8 AS bytes`;
    const [stored] = await database.run<{ bytes: number }>(sql, [thread]);
    const rows = await collect(everyRow(source, thread));
    const added = rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    expect(answer.listed).toEqual({ checkpoints: rows.length, bytes: stored?.bytes });
    expect(added).toBeGreaterThan(answer.listed.bytes);
    expect(answer.keeping.every(({ bytes }) => bytes <= answer.listed.bytes)).toBe(true);
    expect(answer).toMatchObject({
      sharing: expect.stringContaining('share'),
      derived: expect.stringContaining('checkpoint_blobs'),
      examined: { n: rows.length, of: rows.length, unread: { checkpoints: 0 } },
    });
    const [largest] = answer.states.entries;
    expect(largest).toMatchObject({ key: 'trail', values: expect.any(Number) });
    expect(largest?.bytes).toBeGreaterThan(0);
  });
});

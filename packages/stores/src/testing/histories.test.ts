import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { it, onTestFinished } from 'vitest';
import { openPostgresStore } from '../postgres/store.ts';
import { openSqliteStore } from '../sqlite/store.ts';
import { compareHistories } from './histories.ts';

it('a SQLite store answers random operations as the memory store does (S62)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'histories-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let made = 0;
  await compareHistories((limit) => openSqliteStore({ path: join(folder, `${++made}.db`), ...limit }), 1, 40);
}, 120_000);

describeWithPostgres('PostgreSQL', () => {
  it('answers random operations as the memory store does (S62)', async () => {
    const db = await postgresForTests();
    onTestFinished(() => db.close());
    let made = 0;
    await compareHistories((limit) => openPostgresStore({ url: db.url, schema: `s${++made}`, ...limit }), 1, 10);
  }, 120_000);
});

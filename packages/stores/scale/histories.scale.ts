import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { it, onTestFinished } from 'vitest';
import { openPostgresStore } from '../src/postgres/store.ts';
import { openSqliteStore } from '../src/sqlite/store.ts';
import { compareHistories } from '../src/testing/histories.ts';

const RUNS = Number(process.env['RUNS'] ?? 10_000);
const FIRST = Number(process.env['SEED'] ?? 1_000);
const TITLE = `answers ${RUNS} random histories as the memory store does, from seed ${FIRST}`;

it(`SQLite ${TITLE}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'histories-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.db');
  await compareHistories(
    (limit) => {
      for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
      return openSqliteStore({ path, ...limit });
    },
    FIRST,
    RUNS,
  );
  console.log(`measured: SQLite: ${RUNS} histories from seed ${FIRST}, all equal`);
}, 7_200_000);

describeWithPostgres('PostgreSQL', () => {
  it(
    TITLE,
    async () => {
      const db = await postgresForTests();
      onTestFinished(() => db.close());
      await compareHistories(
        async (limit) => {
          await db.run('DROP SCHEMA IF EXISTS histories CASCADE');
          return openPostgresStore({ url: db.url, schema: 'histories', ...limit });
        },
        FIRST,
        RUNS,
      );
      console.log(`measured: PostgreSQL: ${RUNS} histories from seed ${FIRST}, all equal`);
    },
    14_400_000,
  );
});

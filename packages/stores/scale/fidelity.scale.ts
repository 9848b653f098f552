import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { it, onTestFinished } from 'vitest';
import { tablesOf as postgresTables } from '../src/postgres/testing/tables.ts';
import { tablesOf } from '../src/sqlite/testing/format-1.ts';
import { Fidelity } from '../src/testing/fidelity.ts';

const RUNS = Number(process.env['RUNS'] ?? 10_000);
const FIRST = Number(process.env['SEED'] ?? 1_000);
const TITLE = `reads every state of ${RUNS} runs as it was saved, from seed ${FIRST}`;
const tell = (name: string): void => console.log(`measured: ${name}: ${RUNS} runs from seed ${FIRST}, 0 states differ`);

it(`SQLite ${TITLE}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fidelity-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.db');
  await new Fidelity({ path }, tablesOf(path)).runs(FIRST, RUNS);
  tell('SQLite');
}, 3_600_000);

describeWithPostgres('PostgreSQL', () => {
  it(
    TITLE,
    async () => {
      const db = await postgresForTests();
      onTestFinished(() => db.close());
      const schema = 'fidelity';
      await new Fidelity({ url: db.url, schema }, postgresTables(db, schema)).runs(FIRST, RUNS);
      tell('PostgreSQL');
    },
    7_200_000,
  );
});

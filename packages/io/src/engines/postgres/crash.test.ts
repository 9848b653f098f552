import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgres } from '../../postgres/open.ts';
import { describeWithPostgres } from '../../testing/describe-postgres.ts';
import { postgresForTests, type TestPostgres } from '../../testing/postgres.ts';
import type { Image } from '../executor.ts';
import { postgresEngine } from './index.ts';
import type { KillOrder } from './testing/kill-child.ts';

/** Node 20 runs no TypeScript, so the child is bundled; the bundler comes with the test runner. */
async function bundle(file: string): Promise<void> {
  const own = createRequire(import.meta.url);
  const vite = own.resolve('vite', { paths: [own.resolve('vitest')] });
  const { rolldown } = (await import(pathToFileURL(own.resolve('rolldown', { paths: [vite] })).href)) as {
    rolldown: (options: object) => Promise<{ write: (to: object) => Promise<unknown>; close: () => Promise<void> }>;
  };
  const input = fileURLToPath(new URL('testing/kill-child.ts', import.meta.url));
  const build = await rolldown({ input, platform: 'node', logLevel: 'silent' });
  await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
}

describeWithPostgres('a change in PostgreSQL whose process is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-kill-'));
  const child = join(folder, 'child.mjs');
  let db: TestPostgres;
  beforeAll(async () => {
    await bundle(child);
    db = await postgresForTests();
  });
  afterAll(async () => {
    await db.close();
    rmSync(folder, { recursive: true });
  });

  /** Ends when the child has; `afterMs` after it is ready it is killed from outside. */
  const run = (order: KillOrder, afterMs?: number) =>
    new Promise<void>((resolve) => {
      const made = spawn(process.execPath, [child, JSON.stringify(order)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      made.stdout.once('data', () => {
        if (afterMs !== undefined) setTimeout(() => made.kill('SIGKILL'), afterMs);
      });
      made.on('close', () => resolve());
    });
  const imagesIn = (path: string): Image[] => {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as { mark: unknown; content?: string }[];
    return kept.map(({ mark, content }) => ({ mark, content: content ? Buffer.from(content, 'base64') : undefined }));
  };

  it.each([
    ['before its end', 'intent', undefined, ['rolled-back']],
    ['after its end', 'written', undefined, ['completed']],
    ...[0, 40, 80, 120].map((ms) => [`after ${ms} ms`, 'never', ms, ['rolled-back', 'completed']] as const),
  ] as const)(
    '%s is whole: nothing of it or all of it, and what settles it says which',
    async (name, step, ms, outcomes) => {
      const schema = `kill_${name.replaceAll(/\W/g, '_')}`;
      await db.run(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.rows (id int PRIMARY KEY, text text);
      INSERT INTO ${schema}.rows SELECT n, 'row ' || n FROM generate_series(1, 60) n`);
      const content = () => db.run(`SELECT id, text FROM ${schema}.rows ORDER BY id`);
      const before = await content();
      const after = [
        { id: 1, text: 'row 1' },
        { id: 2, text: 'changed' },
        { id: 1001, text: 'row 1' },
      ];
      const images = join(folder, `${schema}.json`);
      await run({ url: db.url, schema, images, step }, ms);
      const database = await openPostgres(db.url, { schema });
      const settle = () => postgresEngine.settle(database.identity, imagesIn(images), { tag: 'kill' });
      const outcome = existsSync(images) ? (await settle()).outcome : 'rolled-back';
      expect(outcomes).toContain(outcome);
      expect(await content()).toEqual(outcome === 'completed' ? after : before);
      if (outcome === 'completed') {
        const undo = await postgresEngine.undo(database.identity, imagesIn(images));
        await postgresEngine.apply(undo, { tag: 'undo', prepared: () => undefined });
        expect(await content()).toEqual(before);
      }
      await database.close();
    },
  );
});

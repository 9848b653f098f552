import { openSqlite } from '@checkpoint-inspector/io';
import { describeWithPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DESCRIPTION_FILE } from './index.ts';
import { propose } from './propose.ts';
import { makeFolder, type Made } from './test-store.ts';

/** Tasks with their checkpoints, newest first, as the proposal has them listed. */
async function listedBy(made: Made, target: string, edit: (text: string) => string = (text) => text) {
  const path = target.includes('://') ? target : join(made.folder, target);
  const proposal = await propose(
    target.includes('://')
      ? { kind: 'address', url: path }
      : { kind: 'path', path, is: /\.\w+$/.test(target) ? 'file' : 'folder' },
  );
  await writeFile(join(made.folder, DESCRIPTION_FILE), edit(proposal.text));
  const [source] = await made.open(target.includes('://') ? DESCRIPTION_FILE : '.');
  if (source === undefined) throw new Error('Nothing opened.');
  const found: Record<string, readonly unknown[]> = {};
  for (const { id, unreadable } of (await source.tasks()).items) {
    const { items } = await source.checkpoints(id);
    found[id] = items.map((meta) => [meta.id, meta.parentId, meta.createdAt?.slice(0, 19)]);
    expect(unreadable).toBe(0);
  }
  return found;
}

const at = (second: number): string => `2026-05-0${second}T10:00:00`;

describe('a description that is proposed', () => {
  it('of a table with parents and ISO times lists it right', async () => {
    const made = await makeFolder({});
    const database = openSqlite(join(made.folder, 'memory.db'), { readOnly: false, create: true });
    database.exec(`CREATE TABLE kv (k TEXT, v TEXT); INSERT INTO kv VALUES ('version', '3');
      CREATE TABLE snaps (uid TEXT PRIMARY KEY, conversation TEXT, before_uid TEXT, blob TEXT, written TEXT, fn TEXT)`);
    const put = database.prepare('INSERT INTO snaps VALUES (?, ?, ?, ?, ?, ?)');
    for (const [uid, talk, before, day] of [
      ['x1', 'lisbon', null, 1],
      ['x2', 'lisbon', 'x1', 2],
      ['y1', 'oslo', null, 3],
      ['y2', 'oslo', 'y1', 4],
    ] as const)
      put.run(uid, talk, before, `{"day": ${day}.0, "place": "${talk}"}`, `${at(day)}Z`, `visit_${day}`);
    database.close();
    const listed = await listedBy(made, 'memory.db');
    expect(listed).toMatchObject({
      oslo: [
        ['y2', 'y1', at(4)],
        ['y1', undefined, at(3)],
      ],
      lisbon: [
        ['x2', 'x1', at(2)],
        ['x1', undefined, at(1)],
      ],
    });
    await made.close();
  });

  it('of a table with numbers as ids and seconds as times lists it right', async () => {
    const made = await makeFolder({});
    const database = openSqlite(join(made.folder, 'agent.sqlite'), { readOnly: false, create: true });
    database.exec(
      'CREATE TABLE log (pk INTEGER PRIMARY KEY, job_no INTEGER, turn INTEGER, ctx TEXT, ts REAL, phase TEXT)',
    );
    const put = database.prepare('INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)');
    for (const [pk, job, turn] of [
      [1, 7, 0],
      [2, 7, 1],
      [3, 8, 0],
      [4, 7, 2],
    ] as const)
      put.run(
        pk,
        job,
        turn,
        JSON.stringify({ turn, seen: [pk] }),
        1_780_000_000 + pk * 60,
        turn < 2 ? 'running' : 'done',
      );
    database.close();
    const listed = await listedBy(made, 'agent.sqlite');
    expect(
      Object.fromEntries(Object.entries(listed).map(([id, rows]) => [id, rows.map((row) => [row].flat()[0])])),
    ).toEqual({
      7: ['4', '2', '1'],
      8: ['3'],
    });
    await made.close();
  });

  it('of a folder with a document a step lists it right', async () => {
    const made = await makeFolder(
      Object.fromEntries(
        [1, 2, 3].flatMap((n) =>
          ['alpha', 'beta'].map((job) => [
            `out/${job}/step_${n}.json`,
            JSON.stringify({ job_name: job, key: `${job}-${n}`, saved: `${at(n)}Z`, vars: { n, job } }),
          ]),
        ),
      ),
    );
    const listed = await listedBy(made, 'out', (text) => `${text}store: out\n`);
    expect(listed).toMatchObject({
      alpha: [
        ['alpha-3', 'alpha-2', at(3)],
        ['alpha-2', 'alpha-1', at(2)],
        ['alpha-1', undefined, at(1)],
      ],
      beta: [
        ['beta-3', 'beta-2', at(3)],
        ['beta-2', 'beta-1', at(2)],
        ['beta-1', undefined, at(1)],
      ],
    });
    await made.close();
  });

  it('of JSON lines lists them right', async () => {
    const lines = [1, 2, 3, 4].map((n) =>
      JSON.stringify({
        session: n < 3 ? 's1' : 's2',
        when: 1_780_000_000_000 + n,
        event: `e${n}`,
        memory: { n, note: 'x'.repeat(n) },
      }),
    );
    const made = await makeFolder({ 'trace.jsonl': `${lines.join('\n')}\n` });
    const listed = await listedBy(made, 'trace.jsonl');
    expect(Object.values(listed).map((rows) => rows.length)).toEqual([2, 2]);
    expect(Object.keys(listed)).toEqual(['s2', 's1']);
    await made.close();
  });

  it('is refused where nothing is a state, with the tables that are there', async () => {
    const made = await makeFolder({});
    const database = openSqlite(join(made.folder, 'shop.db'), { readOnly: false, create: true });
    database.exec('CREATE TABLE orders (id INTEGER, total REAL); INSERT INTO orders VALUES (1, 2.5)');
    database.close();
    const target = { kind: 'path', path: join(made.folder, 'shop.db'), is: 'file' } as const;
    await expect(propose(target)).rejects.toMatchObject({
      code: 'no_store',
      message: expect.stringContaining('orders'),
    });
    await made.close();
  });
});

describeWithPostgres('a description of a PostgreSQL table that is proposed', () => {
  it('lists it right', async () => {
    const database = await postgresForTests();
    await database.run('CREATE TABLE agent_state (pk uuid PRIMARY KEY, flow text, body jsonb, made timestamptz)');
    for (const [n, flow] of [
      [1, 'a'],
      [2, 'a'],
      [3, 'b'],
    ] as const)
      await database.run('INSERT INTO agent_state VALUES ($1, $2, $3, $4)', [
        `00000000-0000-4000-8000-00000000000${n}`,
        flow,
        `{"n": ${n}}`,
        `${at(n)}Z`,
      ]);
    const made = await makeFolder({});
    const listed = await listedBy(made, database.url, (text) => text.replace('env:DATABASE_URL', database.url));
    expect(Object.fromEntries(Object.entries(listed).map(([id, rows]) => [id, rows.length]))).toEqual({ a: 2, b: 1 });
    await made.close();
    await database.close();
  });
});

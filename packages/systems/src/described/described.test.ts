import { describeSource, describeSystem } from '@checkpoint-inspector/core/testing';
import { describeWithPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { openSqlite } from '@checkpoint-inspector/io';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { executor } from '../test-executor.ts';
import { DESCRIPTION_FILE } from './index.ts';
import { bytesAt, DDL, makeFolder, makeTable, STEPS, TABLE, type Made, type Step } from './test-store.ts';

const opened = async (made: Made, file?: string) => ({
  sources: await made.open(),
  ...executor(),
  ...(file === undefined ? {} : { bytes: () => bytesAt(made, file) }),
  teardown: made.close,
});

async function only(make: () => Promise<Made>, file?: string) {
  const { sources, ...rest } = await opened(await make(), file);
  const [source] = sources;
  if (source === undefined) throw new Error('Nothing opened.');
  return { source, ...rest };
}

const tasks = [
  { id: 'run-b', checkpoints: 1, unreadable: 0, latest: 'b1', recorded: 0 },
  { id: 'run-a', checkpoints: 3, unreadable: 0, latest: 'a3', recorded: 2 },
];
const states = [{ ref: { task: 'run-a', id: 'a2' }, text: '{"n": 2.50, "city": "Zürich"}' }];

describeSystem('a described table', {
  open: async () => opened(await makeTable(), 'agent.db'),
  facts: [{ tasks, states }],
});

const DAMAGED: readonly Step[] = [
  ...STEPS,
  ['x1', 'run-x', null, 5, 'done', '{"n": '],
  ['x2', 'run-x', 'x1', 6, 'done', null],
  ['x3', 'run-x', 'x2', 7, 'done', '[1.0]'],
];

describeSource('a described table with damaged rows', {
  open: () => only(() => makeTable(DAMAGED), 'agent.db'),
});

describeWithPostgres('a described table in PostgreSQL', () => {
  const make = async () => {
    const database = await postgresForTests();
    await database.run(DDL.replace('data TEXT', 'data json').replace('saved_at TEXT', 'saved_at timestamptz'));
    for (const [id, run, parent, second, how, data] of STEPS)
      await database.run('INSERT INTO steps VALUES ($1, $2, $3, $4, $5, $6, $7, $8)', [
        id,
        run,
        parent,
        `2026-03-01T10:00:0${second}.000Z`,
        second,
        `step ${second}`,
        how,
        data,
      ]);
    const made = await makeFolder({ 'pg.yaml': TABLE.replace('agent.db', database.url) });
    const close = async (): Promise<void> => {
      await made.close();
      await database.close();
    };
    return { ...made, close };
  };
  describeSystem('steps', {
    open: async () => {
      const made = await make();
      return { sources: await made.open('pg.yaml'), ...executor(), teardown: made.close };
    },
    facts: [{ tasks, states }],
  });
});

describeWithPostgres('a table whose ids come from a sequence', () => {
  it('is not given a number that the next insert would take', async () => {
    const database = await postgresForTests();
    await database.run(
      "CREATE TABLE s (id serial PRIMARY KEY, run text, data json); INSERT INTO s (run, data) VALUES ('a', '{}'), ('a', '1')",
    );
    const made = await makeFolder({
      'pg.yaml': `table: s\nstore: ${database.url}\ntask: run\nid: id\nstate: data\norder: [id]\ncopy: next\n`,
    });
    const [source] = await made.open('pg.yaml');
    expect(source?.info.capabilities.restore).toContain('sequence');
    await made.close();
    await database.close();
  });
});

it('refuses a copy that would not be the newest row', async () => {
  const made = await makeFolder({ [DESCRIPTION_FILE]: 'table: s\ntask: run\nid: id\nstate: data\ncopy: uuid\n' });
  const database = openSqlite(join(made.folder, 'agent.db'), { readOnly: false, create: true });
  database.exec("CREATE TABLE s (id TEXT PRIMARY KEY, run, data) WITHOUT ROWID; INSERT INTO s VALUES ('a', 'r', '{}')");
  database.close();
  const [source] = await made.open();
  expect(source?.info.capabilities.restore).toContain('would not be the newest');
  await made.close();
});

const FILES = `
system: my agent
files: runs/*/*.json
task: $.run
id: $.id
parent: $.parent
time: $.at
name: $.node
state: $.state
`;

const document = ([id, run, parent, second, , data]: Step): string =>
  `{"id":"${id}","run":"${run}","parent":${JSON.stringify(parent)},"at":"2026-03-01T10:00:0${second}.000Z","node":"n","state":${data}}`;

const files = (): Promise<Made> =>
  makeFolder({
    [DESCRIPTION_FILE]: FILES,
    ...Object.fromEntries(STEPS.map((step) => [`runs/${step[1]}/${step[0]}.json`, document(step)])),
  });

describeSystem('described files', { open: async () => opened(await files()), facts: [{ tasks, states }] });

const lines = (): Promise<Made> =>
  makeFolder({
    [DESCRIPTION_FILE]: `${FILES.replace('runs/*/*.json', 'log.jsonl')}each: line\n`,
    'log.jsonl': `\uFEFF${STEPS.map(document).join('\n')}\n`,
  });

describeSystem('described lines', { open: async () => opened(await lines(), 'log.jsonl'), facts: [{ tasks, states }] });

describeSource('described files, damaged', {
  open: () =>
    only(() =>
      makeFolder({
        [DESCRIPTION_FILE]: FILES,
        'runs/a/1.json': document(['a1', 'run-a', null, 1, '', '{"n": 1.0}']),
        'runs/a/2.json': '{"id": "a2", "run": "run-a", ',
        'runs/a/3.json': '{"id": "a3"}',
        'runs/a/4.json': document(['a1', 'run-a', null, 4, '', '2']),
      }),
    ),
});

it('says which key of a description is wrong', async () => {
  const made = await makeFolder({ [DESCRIPTION_FILE]: 'tabel: steps\ntask: run\n' });
  await expect(made.open()).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('unknown key "tabel"'),
  });
  await made.close();
});

it('follows a description out of its folder only where the person named it', async () => {
  const made = await makeFolder({
    'elsewhere/log.jsonl': `${STEPS.map(document).join('\n')}\n`,
    [`project/${DESCRIPTION_FILE}`]: `${FILES.replace('runs/*/*.json', 'log.jsonl')}each: line\nstore: ../elsewhere\n`,
  });
  await expect(made.open('project')).rejects.toMatchObject({ code: 'no_store' });
  expect(await made.open(`project/${DESCRIPTION_FILE}`)).toHaveLength(1);
  await made.close();
});

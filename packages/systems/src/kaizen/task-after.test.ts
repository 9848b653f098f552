import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeId, toEnd, type Problem } from '@checkpoint-inspector/core';
import { expect, onTestFinished, test } from 'vitest';
import { kaizenDocument } from './fixtures/write.ts';
import { readDocument } from './document.ts';
import type { FolderFiles, StoredFile } from './files.ts';
import { parseFileName } from './names.ts';
import { planCopy } from './plan-copy.ts';
import { snapshotOf } from './rows.ts';
import { taskAfterInSteps } from './task-after.ts';
import { totalsOf } from './totals.ts';

const taskAfter = (...asked: Parameters<typeof taskAfterInSteps>) => toEnd(taskAfterInSteps(...asked));

/** Of a file as the system lists it. */
const entryOf = (name: string, n: number, mtimeMs = n): StoredFile['entry'] => ({
  name,
  size: n,
  mtimeNs: BigInt(mtimeMs) * 1_000_000n,
  mtimeMs,
  ino: BigInt(n),
  mode: 0o600,
  uid: 0,
  gid: 0,
  file: true,
  link: false,
});

const BROKEN: Problem = { code: 'unreadable', message: 'broken' };
const AGENTS = ['', 'a', 'b', 'c'];
const ENDINGS = ['.jsonl', '.jsonl.gz', '.enc.jsonl', '.enc.gz.jsonl'];

/** The nth file: some share ids, times, or names other than their ids; some can't be read, some times have no offset. */
function fileAt(n: number): StoredFile {
  const id = `c${n % 17}`;
  const name = parseFileName(`${n % 5 === 0 ? 'x' : ''}${id}${ENDINGS[(n >> 1) % 4]}`) ?? expect.fail('no name');
  const timestamp = `2026-01-01T00:00:${String((n * 7) % 20).padStart(2, '0')}${n % 11 === 0 ? '' : '+00:00'}`;
  const document = kaizenDocument({ checkpoint_id: id, agent_id: AGENTS[n % 4] ?? '', timestamp });
  const { facts } = n % 13 === 0 ? {} : readDocument(document);
  const broken = n % 6 === 1 || !facts ? { problem: BROKEN } : {};
  return { ...name, entry: entryOf(name.name, n), ...(facts ? { facts } : {}), ...broken };
}

const folderOf = (from: number, count: number) => {
  const files = [
    ...new Map(Array.from({ length: count }, (_, n) => fileAt(from + n)).map((file) => [file.name, file])).values(),
  ];
  return { files, others: [], unread: 0 };
};

interface FileFields {
  readonly name: string;
  readonly id: string;
  readonly agent: string;
  readonly time: string;
  readonly parent?: string;
  readonly isBroken: boolean;
  readonly mtimeMs: number;
}

/** A folder in which the later of two files of one name counts. */
function folderWith(count: number, fieldsOf: (n: number) => FileFields): FolderFiles {
  const files = new Map<string, StoredFile>();
  for (let n = 0; n < count; n++) {
    const { name, id, agent, time, parent, isBroken, mtimeMs } = fieldsOf(n);
    const timestamp = `2026-01-01T${time}`;
    const { facts } = readDocument(
      kaizenDocument({
        checkpoint_id: id,
        agent_id: agent,
        timestamp,
        ...(parent === undefined ? {} : { parent_checkpoint_id: parent }),
      }),
    );
    const parsed = parseFileName(name);
    if (!parsed || !facts) expect.fail('no file');
    const entry = entryOf(name, n, mtimeMs);
    files.set(name, { ...parsed, entry, facts, ...(isBroken ? { problem: BROKEN } : {}) });
  }
  return { files: [...files.values()], others: [], unread: 0 };
}

const shown = (after: ReturnType<typeof taskAfter> | undefined) => ({
  latest: after?.latest ?? { basis: 'none' },
  totals: after?.totals ?? totalsOf([]),
  rows: [...(after?.rows ?? [])].map(({ file, ref, readable, note }) => [file.name, ref, readable, note]),
});

/** How often each file leaving and coming back was compared with the whole folder put in order. */
function compared(folder: FolderFiles): number {
  const snapshot = snapshotOf(folder);
  let count = 0;
  for (const file of folder.files) {
    const task = [...snapshot.tasks.values()].find(({ rows }) => rows.some((row) => row.file === file))?.id ?? '';
    const left = { ...folder, files: folder.files.filter((other) => other !== file) };
    const whole = snapshotOf(left);
    expect(shown(taskAfter(snapshot, task, { remove: new Set([file]) }))).toEqual(shown(whole.tasks.get(task)));
    if (file.facts === undefined) continue;
    const after = snapshotOf({ ...left, files: [...left.files, file] });
    expect(shown(taskAfter(whole, task, { add: file }))).toEqual(shown(after.tasks.get(task)));
    count++;
  }
  return count;
}

test('a task after a change is what the whole folder gives', () => {
  let count = 0;
  for (let from = 0; from < 60; from++) count += compared(folderOf(from, 3 + (from % 30)));
  expect(count).toBeGreaterThan(500);
});

/** Numbers below `most`, the same ones for the same seed. */
function randomOf(seed: number): (most: number) => number {
  let state = seed + 1;
  return (most) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % most;
  };
}

/** Agents that save and fork as Kaizen does: few ids are shared, many times are, and parents have the same time. */
function agentsFolder(seed: number): FolderFiles {
  const random = randomOf(seed);
  const [count, seconds, naive, encrypted] = [2 + random(25), 1 + random(12), random(4), random(3)];
  return folderWith(count, (n) => {
    const id = random(12) === 0 ? `c${random(count)}` : `c${n}`;
    const ending = random(4) < encrypted ? '.enc.jsonl' : '.jsonl';
    return {
      name: `${random(15) === 0 ? 'x' : ''}${id}${ending}`,
      id,
      agent: random(2) === 0 ? 'a' : 'b',
      time: `00:00:${String(random(seconds)).padStart(2, '0')}${random(4) < naive ? '' : '+00:00'}`,
      ...(random(3) === 0 ? { parent: `c${random(count)}` } : {}),
      isBroken: random(40) === 0,
      mtimeMs: random(1000),
    };
  });
}

/** One agent's folder in which many files share an id and a time with others that are parents of each other. */
function copiesFolder(seed: number): FolderFiles {
  const random = randomOf(seed);
  const count = 3 + random(10);
  return folderWith(count, (n) => {
    const id = `c${random(count)}`;
    return {
      name: `${id}${ENDINGS[random(4)]}`,
      id,
      agent: 'a',
      time: `00:00:0${random(2)}+00:00`,
      parent: `c${random(count)}`,
      isBroken: false,
      mtimeMs: n,
    };
  });
}

test.each([
  { folders: 'as agents write them', folderOf: agentsFolder, count: 50, least: 400 },
  { folders: 'of many copies', folderOf: copiesFolder, count: 60, least: 200 },
])('one file more or less gives what sorting all gives, in folders $folders', ({ folderOf: make, count, least }) => {
  let changes = 0;
  for (let seed = 0; seed < count; seed++) changes += compared(make(seed));
  expect(changes).toBeGreaterThan(least);
});

/** How often facts are looked at for a plan in an agent of so many files, by kind. */
async function looksIn(size: number): Promise<Readonly<Record<'restore' | 'fork' | 'delete', number>>> {
  const folder = await mkdtemp(join(tmpdir(), 'kaizen-one-row-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  let looks = 0;
  const files = Array.from({ length: size }, (_, n): StoredFile => {
    const id = `ckpt_${n}`;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString().replace('Z', '+00:00');
    const { facts } = readDocument(kaizenDocument({ checkpoint_id: id, agent_id: 'a', timestamp }));
    const name = parseFileName(`${id}.jsonl`) ?? expect.fail('no name');
    const file = { ...name, entry: entryOf(name.name, n) };
    return Object.defineProperty(file, 'facts', { get: () => (looks++, facts), enumerable: true });
  });
  const snapshot = snapshotOf({ files, others: [], unread: 0 });
  const row = snapshot.tasks.get('a')?.rows[size >> 1] ?? expect.fail('no row');
  const timestamp = row.file.facts?.time?.text ?? '';
  const document = kaizenDocument({ checkpoint_id: row.ref.id, agent_id: 'a', timestamp });
  await writeFile(join(folder, row.file.name), document);
  const basis = { store: storeId('kaizen'), folder, snapshot, now: new Date('2026-11-21T12:00:00Z'), keys: [] };
  const counted = async (work: () => unknown): Promise<number> => {
    // What is kept with the snapshot is made by the first one.
    await work();
    const before = looks;
    await work();
    return looks - before;
  };
  return {
    restore: await counted(() => planCopy({ kind: 'restore', ref: row.ref }, basis)),
    fork: await counted(() => planCopy({ kind: 'fork', ref: row.ref }, basis)),
    delete: await counted(() => taskAfter(snapshot, 'a', { remove: new Set([row.file]) })),
  };
}

test('a plan of one change looks at a few rows, however many files the agent has', async () => {
  for (const size of [500, 8_000]) {
    const looks = await looksIn(size);
    for (const [kind, count] of Object.entries(looks)) expect(count, `${kind} among ${size}`).toBeLessThan(150);
  }
});

test("other agents' files are not looked at", () => {
  const snapshot = snapshotOf(folderOf(0, 60));
  const file = snapshot.tasks.get('a')?.rows[0]?.file ?? expect.fail('no row');
  toEnd(snapshot.names());
  let asked = 0;
  const folder = {
    ...snapshot.folder,
    get files() {
      asked++;
      return snapshot.folder.files;
    },
  };
  taskAfter({ ...snapshot, folder }, 'a', { remove: new Set([file]) });
  expect(asked).toBe(0);
});

test('rows that stay in their place are not copied', () => {
  const document = (n: number): FileFields => ({
    name: `c${n}.jsonl`,
    id: `c${n}`,
    agent: 'a',
    time: new Date(n * 1000).toISOString().slice(11, 19) + '+00:00',
    isBroken: false,
    mtimeMs: n,
  });
  const snapshot = snapshotOf(folderWith(4_000, document));
  const task = snapshot.tasks.get('a') ?? expect.fail('no task');
  let reads = 0;
  const rows = new Proxy(task.rows, { get: (all, key) => (reads++, Reflect.get(all, key)) });
  const tasks = new Map([['a', { ...task, rows }]]);
  const file = task.rows[2_000]?.file ?? expect.fail('no row');
  snapshot.byId.get(file.id);
  taskAfter({ ...snapshot, tasks }, 'a', { remove: new Set([file]) });
  expect(reads).toBeLessThan(150);
});

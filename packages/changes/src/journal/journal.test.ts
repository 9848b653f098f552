import { InspectorError, planList, storeId, type PlanView, type Receipt } from '@checkpoint-inspector/core';
import { currentOwner, isAlive, openSqlite, type Image } from '@checkpoint-inspector/io';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { journalFolder } from './schema.ts';
import { openJournal } from './journal.ts';
import type { Journal, NewIntent } from './types.ts';

const STORE = storeId('s');
const REF = { task: 't', id: 'c1' };
let base: string;
let folder: string;
let journal: Journal;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'inspector-journal-'));
  folder = join(base, 'deep', 'state');
  journal = openJournal({ folder });
});
afterEach(async () => {
  journal.close();
  await rm(base, { recursive: true });
});

function plan(request: PlanView['request']): PlanView {
  const empty = planList<never>([]);
  return {
    id: 'p',
    expiresAt: '2026-01-01T00:00:00Z',
    request,
    store: STORE,
    task: 't',
    preconditions: [],
    warnings: [],
    writes: empty,
    moves: empty,
    removes: empty,
    evicts: empty,
    protected: empty,
    latestBefore: { basis: 'none' },
    bytesFreed: 0,
  };
}

function intent(id: string, more: Partial<NewIntent> = {}): NewIntent {
  return {
    id,
    store: STORE,
    plan: plan({ kind: 'delete', refs: [REF] }),
    engine: 'files',
    place: `/x/${id}`,
    ...more,
  };
}

function receipt(id: string, request: Receipt['request'] = { kind: 'delete', refs: [REF] }): Receipt {
  const times = {
    appliedAt: '2026-01-01T00:00:00.000Z',
    latestNow: { basis: 'none' },
    proof: 'none',
    undoable: true,
  } as const;
  return {
    id,
    planId: 'p',
    request,
    store: STORE,
    task: 't',
    done: ['removed'],
    failed: [],
    written: [],
    removed: [REF],
    ...times,
  };
}

const stat0 = { mode: 0o640, uid: 1, gid: 2, mtimeNs: '1700000000123456789' };
/** Marks are JSON of the engine's own making; contents are bytes. */
const IMAGES: Image[] = [
  {
    mark: { kind: 'file', path: 'a', before: { sha256: 'aa', size: 3, stat: stat0 } },
    content: Buffer.from([0, 255, 1]),
  },
  { mark: { kind: 'file', path: 'b', after: { sha256: 'bb', size: 9 } } },
  { mark: { any: ['é', 'x\0\ud800', null, 1.5, { __own: true }] }, content: Buffer.alloc(0) },
];
const end = (id: string, skipped: number[] = []) => ({
  receipt: receipt(id),
  skipped,
  trash: [{ ref: REF, what: 'c1.json', sizeBytes: 3 }],
  sidecar: [],
});

describe('the journal', () => {
  it('is private: folder 0700, files 0600, durable', async () => {
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of ['journal.sqlite', 'journal.sqlite-wal'])
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    const db = openSqlite(journal.path, { readOnly: true });
    expect(db.pragma('journal_mode')).toBe('wal');
    expect(db.prepare("SELECT value FROM journal_meta WHERE name = 'format'").get()).toEqual({ value: '1' });
    db.close();
  });

  it('closes its own folder to others, and leaves a shared one as it is', async () => {
    for (const [name, mode] of [
      ['checkpoint-inspector', 0o700],
      ['shared', 0o755],
    ] as const) {
      await mkdir(join(base, name), { mode: 0o755 });
      openJournal({ folder: join(base, name) }).close();
      expect((await stat(join(base, name))).mode & 0o777).toBe(mode);
      expect((await stat(join(base, name, 'journal.sqlite'))).mode & 0o777).toBe(0o600);
    }
  });

  it('keeps intents with their images until they end', () => {
    journal.begin(intent('i1', { location: '/x', headHash: 'h' }), IMAGES);
    const other = openJournal({ folder });
    expect(other.openIntents()).toMatchObject([
      { id: 'i1', location: '/x', headHash: 'h', state: 'open', owner: 'here' },
    ]);
    expect(other.images('i1')).toEqual(IMAGES);
    expect(other.marks('i1')).toEqual(IMAGES.map(({ mark }) => mark));
    other.finish('i1', end('i1', [1]));
    other.close();
    expect(journal.openIntents()).toEqual([]);
    expect(journal.intent('i1')?.state).toBe('finished');
    expect(journal.images('i1')).toEqual([IMAGES[0], IMAGES[2]]);
    expect(journal.marks('i1')).toEqual([IMAGES[0]?.mark, IMAGES[2]?.mark]);
    expect(() => journal.finish('i1', end('i1'))).toThrow(InspectorError);
    expect(() => journal.abandon('i1', 'too late')).toThrow(InspectorError);
    expect(journal.intent('i1')?.state).toBe('finished');
    expect(journal.receipt('i1')).toEqual(receipt('i1'));
    expect(journal.receipt('none')).toBeUndefined();
  });

  it('abandons without a receipt', () => {
    journal.begin(intent('i1'), IMAGES);
    journal.abandon('i1', 'full');
    expect([journal.openIntents(), journal.images('i1'), journal.receipts().items]).toEqual([[], [], []]);
    expect(journal.intent('i1')?.state).toBe('abandoned');
  });

  it('lets one change of a place be open at a time', () => {
    const target = { engine: 'sqlite', place: '/x/db' };
    journal.begin(intent('i1', target), []);
    const other = openJournal({ folder });
    expect(() => other.begin(intent('i2', target), [])).toThrow(expect.objectContaining({ code: 'busy' }));
    other.begin(intent('i3'), []);
    journal.begin(intent('m1', { engine: 'memory', place: 'memory-1' }), []);
    journal.begin(intent('m2', { engine: 'memory', place: 'memory-2' }), []);
    journal.abandon('i1', 'x');
    other.begin(intent('i2', target), []);
    other.close();
  });

  it('marks what an undo undid, once', () => {
    const undo = { kind: 'undo', receiptId: 'i1' } as const;
    journal.begin(intent('i1'), IMAGES);
    journal.finish('i1', end('i1'));
    expect(journal.trash().items).toEqual([
      { receiptId: 'i1', store: STORE, ref: REF, what: 'c1.json', sizeBytes: 3, deletedAt: '2026-01-01T00:00:00.000Z' },
    ]);
    journal.begin(intent('u1', { plan: plan(undo) }), []);
    journal.finish('u1', { receipt: receipt('u1', undo), skipped: [], trash: [], sidecar: [] });
    expect(journal.receipt('i1')?.undoneBy).toBe('u1');
    expect(journal.trash().items).toEqual([]);
    expect(() => journal.begin(intent('u2', { plan: plan(undo) }), [])).toThrow(
      expect.objectContaining({ code: 'undo_conflict', remedy: expect.stringContaining('Undo that undo') }),
    );
  });

  it('takes an undo that could do nothing for none', () => {
    const undo = { kind: 'undo', receiptId: 'i1' } as const;
    journal.begin(intent('i1'), IMAGES);
    journal.finish('i1', end('i1'));
    journal.begin(intent('u1', { plan: plan(undo) }), []);
    const nothing = { ...receipt('u1', undo), done: [], failed: [{ what: 'undo', reason: 'cut off' }] };
    journal.finish('u1', { receipt: nothing, skipped: [], trash: [], sidecar: [] });
    expect(journal.receipt('i1')).not.toHaveProperty('undoneBy');
    expect(journal.trash().items).toHaveLength(1);
  });

  it('pages receipts and trash, newest first', () => {
    for (let n = 0; n < 25; n++) {
      journal.begin(intent(`i${n}`, n % 2 ? { store: storeId('odd') } : {}), []);
      journal.finish(`i${n}`, {
        ...end(`i${n}`),
        receipt: { ...receipt(`i${n}`), store: n % 2 ? storeId('odd') : STORE },
      });
    }
    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page = journal.receipts({ limit: 10, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.cursor;
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => `i${24 - n}`));
    expect(journal.receipts({ store: storeId('odd') }).items).toHaveLength(12);
    expect(journal.trash({ limit: 3, store: STORE }).items.map(({ receiptId }) => receiptId)).toEqual([
      'i24',
      'i22',
      'i20',
    ]);
    for (const bad of [{ limit: 0 }, { limit: 1001 }, { limit: 1.5 }, { cursor: "1' OR 1" }, { cursor: '-1' }]) {
      expect(() => journal.receipts(bad)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
    }
    const remedy = 'Request the first page again, without a cursor.';
    expect(() => journal.trash({ cursor: 'WzFd' })).toThrow(expect.objectContaining({ remedy }));
  });

  it('keeps one sidecar parent per child', () => {
    const child = { task: 't', id: 'x"\ud800' };
    journal.addSidecar('/a', [{ child, parent: REF }]);
    journal.addSidecar(
      ['/a', '/link'],
      [{ child: { id: child.id, namespace: '', task: 't' }, parent: { task: 'u', namespace: 'n', id: 'y' } }],
    );
    expect(journal.sidecar('/a', STORE)).toEqual([{ child, parent: { task: 'u', namespace: 'n', id: 'y' } }]);
    expect(journal.sidecar(['/b', '/a'], storeId('other'))).toHaveLength(1);
    expect(journal.sidecar('/b', STORE)).toEqual([]);
    // Earlier versions kept them under the name of a store.
    journal.addSidecar('old', [{ child, parent: REF }]);
    expect(journal.sidecar('/b', storeId('old'))).toEqual([{ child, parent: REF }]);
  });

  it('refuses what a newer program wrote, and leaves it alone', async () => {
    journal.close();
    const db = openSqlite(journal.path, { readOnly: false });
    db.exec("UPDATE journal_meta SET value = '2'; DROP TABLE notes");
    db.close();
    expect(() => openJournal({ folder })).toThrow(expect.objectContaining({ code: 'unsupported_version' }));
    const again = openSqlite(journal.path, { readOnly: false });
    expect(again.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'notes'").get()).toBeUndefined();
    again.exec("UPDATE journal_meta SET value = '1'");
    again.close();
    journal = openJournal({ folder });
  });

  it('refuses a link, a folder that is a file, and a file that is not a journal', async () => {
    const other = join(base, 'link');
    openJournal({ folder: other }).close();
    await rm(join(other, 'journal.sqlite'));
    await symlink(join(base, 'target'), join(other, 'journal.sqlite'));
    expect(() => openJournal({ folder: other })).toThrow(expect.objectContaining({ code: 'unreadable' }));
    await writeFile(join(base, 'target'), '');
    expect(() => openJournal({ folder: other })).toThrow(expect.objectContaining({ code: 'unreadable' }));
    expect(await readFile(join(base, 'target'), 'utf8')).toBe('');
    expect(() => openJournal({ folder: join(base, 'target') })).toThrow(
      expect.objectContaining({ code: 'unreadable' }),
    );
    const text = join(base, 'text');
    openJournal({ folder: text }).close();
    await writeFile(join(text, 'journal.sqlite'), 'no database at all, but long enough to be read as one');
    expect(() => openJournal({ folder: text })).toThrow(expect.objectContaining({ code: 'unreadable' }));
  });
});

describe('the owner of an intent', () => {
  const now = new Date().toISOString();

  it('is this process, not another with its pid', () => {
    const own = currentOwner();
    expect(isAlive(own, now)).toBe(true);
    expect(isAlive({ ...own, token: 'another start' }, now)).toBe(false);
  });

  it('is gone after its end, and a pid given out again is somebody else', () => {
    const ended = spawnSync(process.execPath, ['-e', '']).pid;
    expect(isAlive({ ...currentOwner(), pid: ended }, now)).toBe(false);
    expect(isAlive({ ...currentOwner(), pid: process.ppid, token: 'another start' }, now)).toBe(false);
  });

  it.runIf(process.platform === 'linux')('is gone when it has ended and nobody has asked how', async () => {
    // A process that is stopped does not ask for its child.
    const script = "console.log(require('node:child_process').spawn('sleep', ['60']).pid)";
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [said] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(said.toString());
      parent.kill('SIGSTOP');
      process.kill(pid, 'SIGKILL');
      const fields = async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
      await vi.waitFor(async () => expect((await fields())[0]).toBe('Z'), { timeout: 20_000 });
      const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
      const token = `${boot}:${(await fields())[19]}`;
      expect(isAlive({ ...currentOwner(), pid, token }, now)).toBe(false);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('of another machine or container is taken as alive for ten minutes', () => {
    const far = { ...currentOwner(), place: 'elsewhere' };
    expect(isAlive(far, now)).toBe(true);
    expect(isAlive(far, now, Date.now() + 11 * 60_000)).toBe(false);
  });
});

describe('journalFolder', () => {
  it.each([
    [{ CHECKPOINT_INSPECTOR_STATE: '/own', HOME: '/h' }, 'linux', '/own'],
    [{ HOME: '/h' }, 'linux', '/h/.local/state/checkpoint-inspector'],
    [{ HOME: '/h', XDG_STATE_HOME: '/xdg' }, 'linux', '/xdg/checkpoint-inspector'],
    [{ HOME: '/h', XDG_STATE_HOME: 'relative' }, 'linux', '/h/.local/state/checkpoint-inspector'],
    [{ HOME: '/Users/m' }, 'darwin', '/Users/m/Library/Application Support/checkpoint-inspector'],
    [{ LOCALAPPDATA: 'C:\\L' }, 'win32', 'C:\\L\\checkpoint-inspector'],
    [{ USERPROFILE: 'C:\\U' }, 'win32', 'C:\\U\\AppData\\Local\\checkpoint-inspector'],
  ])('%j on %s', (env, platform, expected) => {
    expect(journalFolder(env, platform)).toBe(expected);
  });
});

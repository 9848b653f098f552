import { watchDerivations } from '@checkpoint-inspector/config/measure';
import { describeSystem, type SourceFacts } from '@checkpoint-inspector/core/testing';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { executor } from '../test-executor.ts';
import { copyOf, fixture, openKaizen, PASSPHRASE, refOf, temporaryFolder } from './fixtures/open.ts';
import { decryptedBy, wholeFolder } from './fixtures/independent.ts';
import { allRows, errorOf, save, unlocked } from './fixtures/unlocked.ts';
import type { KaizenSource } from './read.ts';

const TASK = 'research_agent';

const AGENTS = {
  enc: { research_agent: 7, 'writer-агент ✍️': 2, autonomous_agent: 2, experimental_agent: 1, done_agent: 1 },
  'enc-gz': { research_agent: 4, 'writer-агент ✍️': 2, autonomous_agent: 2, done_agent: 1 },
};
const countsOf = async (source: KaizenSource) =>
  Object.fromEntries((await source.tasks()).items.map((task) => [task.id, task.checkpointCount]));

function facts(
  latest: Readonly<Record<string, string>>,
  counts: object,
  recorded: Readonly<Record<string, number>>,
): SourceFacts {
  const tasks = Object.entries(counts).map(([id, checkpoints]: [string, number]) => {
    return { id, checkpoints, unreadable: 0, recorded: recorded[id] ?? 0, latest: latest[id] ?? '' };
  });
  return { tasks };
}

const LATEST = {
  enc: {
    research_agent: 'ckpt_19ddfcd0a797',
    'writer-агент ✍️': 'ckpt_26ddab797035',
    experimental_agent: 'ckpt_8815853ad9dd',
    autonomous_agent: 'ckpt_af7503046e47',
    done_agent: 'ckpt_b86dc471a652',
  },
  'enc-gz': {
    research_agent: 'ckpt_274a742fdafa',
    autonomous_agent: 'ckpt_cffc007c98f6',
    'writer-агент ✍️': 'ckpt_95d36878a82b',
    done_agent: 'ckpt_aa904757d470',
  },
};

describe.each(['enc', 'enc-gz'] as const)('a real %s store, unlocked', (name) => {
  describeSystem(`kaizen ${name} unlocked`, {
    open: async () => {
      const folder = await copyOf(name);
      return { sources: [await unlocked(folder)], ...executor(), bytes: () => wholeFolder(folder) };
    },
    facts: [facts(LATEST[name], AGENTS[name], name === 'enc' ? { research_agent: 3, experimental_agent: 1 } : {})],
  });

  it('every file has joined its agent, with the state that was encrypted', async () => {
    const source = await unlocked(fixture(name));
    expect(await countsOf(source)).toEqual(AGENTS[name]);
    const decrypt = decryptedBy(PASSPHRASE);
    const rows = await allRows(source);
    for (const meta of rows) {
      const stored = await readFile(join(fixture(name), `${meta.id}.enc.jsonl${name === 'enc' ? '' : '.gz'}`));
      const text = decrypt(name === 'enc' ? stored : gunzipSync(stored));
      expect(`${(await source.state(refOf(meta)))?.text}\n`).toBe(text);
      expect(Buffer.from((await source.raw(refOf(meta))) ?? [])).toEqual(stored);
    }
    expect(rows).toHaveLength(name === 'enc' ? 13 : 9);
  });

  it('is locked again by close, and for everybody who opens it again', async () => {
    const source = await unlocked(fixture(name));
    await source.close();
    expect((await source.tasks()).items).toMatchObject([{ kind: 'unassigned' }]);
    expect((await (await openKaizen(fixture(name))).tasks()).items).toMatchObject([{ kind: 'unassigned' }]);
  });

  it('says that Kaizen does not see the latest, and what can be done now', async () => {
    const source = await openKaizen(fixture(name));
    expect(source.info.capabilities.restore).toContain('Unlock');
    expect(source.info.notes?.join()).toContain('locked');
    await source.unlock(PASSPHRASE);
    expect(source.info.capabilities).toMatchObject({ restore: true, fork: true, delete: true });
    expect(source.info.notes?.join()).not.toContain('locked');
    const latest = await source.latest(TASK);
    expect(latest).toMatchObject({ basis: 'rule', note: expect.stringContaining("won't find these") });
    if (name === 'enc-gz') expect(latest.note).toContain("doesn't look for the name");
  });
});

describe('Unlock', () => {
  it('refuses a wrong or blank key and changes nothing', async () => {
    const source = await openKaizen(fixture('enc'));
    const wrong = await errorOf(source.unlock('another passphrase that is long enough'));
    expect(wrong.code).toBe('wrong_key');
    expect(wrong.message).toContain('none of the 13');
    for (const blank of ['', ' ', '\n']) expect((await errorOf(source.unlock(blank))).code).toBe('invalid_input');
    for (const meta of await allRows(source)) expect(meta.problem?.code).toBe('locked');
    await source.unlock(PASSPHRASE);
    expect((await errorOf(source.unlock('another passphrase that is long enough'))).code).toBe('wrong_key');
    expect(await countsOf(source)).toEqual(AGENTS.enc);
  });

  it('takes a raw key as 64 hex digits, and such a passphrase too', async () => {
    const hex = '0f'.repeat(32);
    const folder = await temporaryFolder();
    await save(folder, { checkpoint_id: 'raw' }, 'enc', Buffer.from(hex, 'hex'));
    await save(folder, { checkpoint_id: 'text' }, 'enc', hex);
    const source = await unlocked(folder, hex);
    await source.unlock(hex.toUpperCase());
    expect((await source.checkpoints('a')).items.length).toBeGreaterThan(0);
    await source.unlock(hex);
    expect(await countsOf(source)).toEqual({ a: 2 });
  });

  it('marks the files of another key one by one, until that key comes too', async () => {
    const folder = await copyOf('enc');
    const other = 'the key of another run';
    await save(folder, { checkpoint_id: 'own', agent_id: 'other_agent' }, 'enc-gz', other);
    const source = await unlocked(folder);
    const rest = (await source.tasks()).items.find((task) => task.kind === 'unassigned');
    const [row] = (await source.checkpoints(rest?.id ?? '')).items;
    expect(row).toMatchObject({ id: 'own.enc.gz.jsonl', problem: { code: 'wrong_key' } });
    expect(source.info.notes?.join()).toContain('1 do not open');
    expect((await errorOf(source.state({ task: rest?.id ?? '', id: 'own.enc.gz.jsonl' }))).code).toBe('wrong_key');
    const plan = source.plan({ kind: 'restore', ref: { task: rest?.id ?? '', id: 'own.enc.gz.jsonl' } });
    expect((await errorOf(plan)).code).toBe('wrong_key');
    await source.unlock(other);
    expect(await countsOf(source)).toEqual({ ...AGENTS.enc, other_agent: 1 });
  });

  it('holds for files that are saved later, tells watchers, and may come before the first of them', async () => {
    const folder = await temporaryFolder();
    const source = await openKaizen(folder);
    const changes: unknown[] = [];
    const unwatch = source.watch((change) => changes.push(change));
    await source.unlock(PASSPHRASE);
    // The folder's own watcher may tell of its making as well.
    await vi.waitFor(() => expect(changes).toContainEqual({}), 20_000);
    unwatch();
    await save(folder, { checkpoint_id: 'late' });
    expect(await countsOf(source)).toEqual({ a: 1 });
  });

  it('derives the key once, not for each file (S56)', async () => {
    const folder = await temporaryFolder();
    const passphrase = `fresh ${Math.random()}`;
    const { derived } = watchDerivations();
    for (let n = 0; n < 100; n++) await save(folder, { checkpoint_id: `c${n}` }, 'enc', passphrase);
    const source = await unlocked(folder, passphrase);
    expect(await countsOf(source)).toEqual({ a: 100 });
    expect(derived()).toBe(1);
  });
});

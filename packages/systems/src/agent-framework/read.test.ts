import { bytesRead } from '@checkpoint-inspector/config/measure';
import { forkTree, type LineageRow } from '@checkpoint-inspector/core';
import { collect } from '@checkpoint-inspector/core/testing';
import { readdir, readFile, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { copyOf, fixture, openFolder, refOf, temporaryFolder } from './fixtures/open.ts';
import { storeOf } from './fixtures/plans.ts';
import { pickled, pythonFile, pythonLatest } from './fixtures/python.ts';
import { errorOf, pendingOf, stepsOf } from './view.ts';

const FLOW = 'counter-flow';

async function rowsOf(source: Awaited<ReturnType<typeof openFolder>>, task: string) {
  return (await source.checkpoints(task)).items;
}

describe('real Python folders', () => {
  it('show the files byte for byte, without a pickle ever being loaded', async () => {
    for (const name of ['counter-forks', 'hitl', 'legacy-2025-09'] as const) {
      const source = await openFolder(fixture(name));
      for (const { id } of (await source.tasks()).items) {
        for (const meta of await rowsOf(source, id)) {
          const file = await readFile(join(fixture(name), `${meta.id}.json`));
          expect(Buffer.from((await source.raw(refOf(meta))) ?? [])).toEqual(file);
          expect((await source.state(refOf(meta)))?.text).toBe(file.toString());
        }
      }
    }
  });

  it('have a chain of 6 and two forks from the third, which has 3 children', async () => {
    const source = await openFolder(fixture('counter-forks'));
    const rows: LineageRow[] = await collect(source.lineage(FLOW));
    const tree = forkTree(FLOW, rows);
    expect(tree.roots).toHaveLength(1);
    const forks = tree.forkPoints.map((at) => tree.nodes[at]);
    expect(forks.map((node) => [node?.ref.id, node?.children.length])).toEqual([
      ['ba27aec7-6203-483a-9a90-4715a3bf7e95', 3],
    ]);
    expect(rows.slice(0, 6).map((row) => row.parent?.id.slice(0, 8))).toEqual([
      undefined,
      '46b55016',
      '2dcf49fa',
      'ba27aec7',
      '65e15e2d',
      '2fac6d43',
    ]);
  });

  it('answer the latest that the written rule gives', async () => {
    for (const name of ['counter-forks', 'hitl'] as const) {
      const source = await openFolder(fixture(name));
      for (const { id, latestId } of (await source.tasks()).items) {
        expect(latestId).toBe(await pythonLatest(fixture(name), id));
      }
    }
  });

  it('tell waiting, running and finished apart, with signature, time and iteration', async () => {
    const rows = (await rowsOf(await openFolder(fixture('hitl')), 'release-notes')).toReversed();
    expect(rows.map((row) => row.status[0]).join('')).toBe('rrirrrircirc');
    expect(rows[2]).toMatchObject({
      stepIndex: 2,
      createdAt: '2026-11-21T13:25:29.645Z',
      createdAtText: '2026-11-21T13:25:29.645388+00:00',
      timeBasis: 'utc',
      description: 'waiting for a person: 1 request',
      graphSignature: expect.stringMatching(/^e2e843da[0-9a-f]{56}$/),
      labels: ['needs allowed types: demo_flows:ApprovalRequest'],
    });
    const state = await readFile(join(fixture('hitl'), `${rows[2]?.id}.json`), 'utf8');
    expect(pendingOf(state)).toEqual([
      {
        id: 'ef3568de-8fe6-4da1-bc28-1ecae905c3b4',
        value: undefined,
        type: 'agent_framework._workflows._events:WorkflowEvent',
        sizeBytes: expect.any(Number),
      },
    ]);
  });

  it('of an unnamed workflow say that the name leads nowhere', async () => {
    const { items } = await (await openFolder(fixture('counter-forks'))).tasks();
    expect(items.map((task) => task.latestNote?.includes('Resume by id') ?? false)).toEqual([true, false, false]);
  });
});

describe('older and other shapes', () => {
  it('of 2025 and early 2026 are shown, and the note says that they are not loaded', async () => {
    const old = await openFolder(fixture('legacy-2025-09'));
    expect(old.info.capabilities).toMatchObject({ restore: expect.stringContaining('older format'), delete: true });
    expect((await old.latest('wf-7c1d')).note).toContain('returns none of these');
    expect((await rowsOf(old, 'wf-7c1d')).map((row) => [row.stepIndex, row.lineage])).toEqual([
      [2, 'inferred'],
      [1, 'inferred'],
      [0, 'none'],
    ]);
    const [waiting] = await rowsOf(await openFolder(fixture('legacy-2026-02')), 'wf-2026');
    expect(waiting).toMatchObject({ status: 'interrupted', graphSignature: 'b'.repeat(64), lineage: 'inferred' });
  });

  it("of the interface are told apart from Python's, with errors, requests and executions", async () => {
    const folder = await copyOf('document');
    await writeFile(join(folder, 'py.json'), pythonFile({ id: 'py', workflow: 'release-notes' }));
    const source = await openFolder(folder);
    const rows = await rowsOf(source, 'release-notes');
    expect(rows.map((row) => [row.id, row.status, row.lineage, row.parentId])).toEqual([
      ['run-2_writer', 'running', 'none', undefined],
      ['run-1_reviewer', 'interrupted', 'inferred', 'run-1_writer'],
      ['run-1_writer', 'running', 'none', undefined],
      ['py', 'completed', 'none', undefined],
    ]);
    expect((await source.latest('release-notes')).note).toContain('returns "py"');
    const [task] = (await source.tasks({ text: 'other' })).items;
    expect(task).toMatchObject({ status: 'failed', lastError: 'no answer in 30 s' });
    expect(task?.latestNote).toBeUndefined();
    const texts = await Promise.all(
      ['run-1_reviewer', 'run-3_writer'].map((id) => readFile(join(folder, `${id}.json`), 'utf8')),
    );
    expect(pendingOf(texts[0] ?? '')).toEqual([{ id: 'r1', executor: 'reviewer', value: { prompt: 'Approve?' } }]);
    expect(stepsOf(texts[0] ?? '')).toEqual([
      { name: 'writer', status: 'done' },
      { name: 'reviewer', status: 'pending' },
    ]);
    expect(texts.map(errorOf)).toEqual([undefined, 'no answer in 30 s']);
    expect(stepsOf(texts[1] ?? '')).toEqual([{ name: 'writer', status: 'failed' }]);
  });

  it('with every executor done are completed', async () => {
    const folder = await copyOf('document');
    const path = join(folder, 'run-1_writer.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace('"completed":false', '"completed":true'));
    const rows = await rowsOf(await openFolder(folder), 'release-notes');
    expect(rows.at(-1)?.status).toBe('completed');
  });
});

describe('latest where the original answers otherwise', () => {
  it('names the older checkpoint that is left without allowed types', async () => {
    const { source } = await storeOf(
      { id: 'old', timestamp: '2026-03-14T09:00:00+00:00' },
      { id: 'new', timestamp: '2026-03-14T09:00:01+00:00', state: { x: pickled('my_app:Thing') } },
    );
    const latest = await source.latest('flow');
    expect(latest).toMatchObject({ ref: { id: 'new' }, basis: 'rule' });
    expect(latest.note).toBe('Without allowed_checkpoint_types for my_app:Thing get_latest returns "old".');
  });

  it('reports mixed times, times that are none, unknown keys, damaged pickles and a missing signature', async () => {
    const at = (timestamp: string) => ({ timestamp });
    const mixed = await storeOf({ id: 'a', ...at('2026-03-14T09:00:00') }, { id: 'b' });
    expect((await mixed.source.latest('flow')).note).toContain('raises TypeError: 1 of 2 times have no UTC offset');
    const [naive] = (await rowsOf(mixed.source, 'flow')).filter((row) => row.id === 'a');
    expect(naive).toMatchObject({ timeBasis: 'local', createdAtText: '2026-03-14T09:00:00' });
    expect(naive?.createdAt).toBeUndefined();
    const none = await storeOf({ id: 'a', ...at('soon') }, { id: 'b' });
    expect((await none.source.latest('flow')).note).toContain('raises ValueError: the timestamp of a');
    const only = await storeOf({ id: 'a', ...at('soon') });
    expect(await only.source.latest('flow')).toMatchObject({
      basis: 'none',
      note: expect.stringContaining('ValueError'),
    });
    const late = at('2026-03-14T10:00:00+00:00');
    const keys = await storeOf({ id: 'a' }, { id: 'b', ...late, extra: { labels: [] } });
    expect((await keys.source.latest('flow')).note).toContain(
      `returns "a". Agent Framework can't load it because of unknown keys: labels.`,
    );
    const torn = await storeOf({ id: 'a' }, { id: 'b', ...late, state: { x: { __pickled__: '*', __type__: 'a:B' } } });
    expect((await torn.source.latest('flow')).note).toContain('the pickled value at $.state.x is damaged');
    const bare = await storeOf({ id: 'a' }, { id: 'b', ...late });
    const path = join(bare.folder, 'b.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace(/ {2}"graph_signature_hash.*\n/, ''));
    expect((await bare.source.latest('flow')).note).toContain('without graph_signature_hash');
  });

  it('is a tie where times are equal; a copy is after its source', async () => {
    const { source } = await storeOf({ id: 'z' }, { id: 'a', previous: 'z' }, { id: 'm', previous: 'm' });
    const latest = await source.latest('flow');
    expect(latest.basis).toBe('tie');
    expect(latest.note).toContain('3 checkpoints have exactly this time');
    const ids = (await rowsOf(source, 'flow')).map((row) => row.id);
    expect(ids.indexOf('a')).toBeLessThan(ids.indexOf('z'));
  });
});

describe('bad input', () => {
  it('is listed as a row with the reason and the byte where it is wrong', async () => {
    const source = await openFolder(fixture('bad'));
    const rows = await rowsOf(source, 'unassigned files');
    const problems = Object.fromEntries(rows.map((row) => [row.id, [row.problem?.offset, row.problem?.message]]));
    expect(problems).toEqual({
      'torn.json': [expect.any(Number), expect.any(String)],
      'array.json': [0, 'The file contains a JSON array, not an object.'],
      'utf8.json': [40, "The text isn't valid UTF-8."],
      'empty.json': [0, expect.any(String)],
      'noid.json': [undefined, 'checkpoint_id is missing or not a string.'],
      'noname.json': [undefined, expect.stringContaining('workflow_name')],
    });
    const bad = (await rowsOf(source, 'bad-flow')).find((row) => row.id === 'numtime');
    const file = await readFile(join(fixture('bad'), 'numtime.json'), 'utf8');
    expect(bad?.problem).toMatchObject({ offset: file.indexOf('1773480713') });
    expect(await source.state({ task: 'bad-flow', id: 'exact' })).toMatchObject({
      text: await readFile(join(fixture('bad'), 'exact.json'), 'utf8'),
    });
  });

  it('of documents with half a shape is told', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'a.json'), '{"checkpointId": 1, "workflowId": "w"}');
    await writeFile(join(folder, 'b.json'), '{"checkpointId": "b", "workflowId": 1}');
    await writeFile(join(folder, 'c.json'), '{"checkpointId": "c", "workflowId": "w"}');
    const source = await openFolder(folder);
    const all = (await Promise.all((await source.tasks()).items.map(({ id }) => rowsOf(source, id)))).flat();
    expect(Object.fromEntries(all.map((row) => [row.id, row.problem?.message]))).toEqual({
      'a.json': 'checkpointId is missing or not a string.',
      'b.json': 'workflowId is missing or not a string.',
      c: 'The object has no timestamp.',
    });
  });

  it('never leads out of the folder: ids with ../ are ids, links are not followed', async () => {
    const { folder, source } = await storeOf({ id: 'a' });
    await writeFile(join(folder, 'evil.json'), pythonFile({ id: '../../etc/passwd' }));
    await writeFile(join(folder, '..', 'outside.json'), pythonFile({ id: 'outside' }));
    await symlink('/etc/passwd', join(folder, 'link.json'));
    const [link] = await rowsOf(source, 'unassigned files');
    expect(link).toMatchObject({ id: 'link.json', problem: { message: expect.stringContaining('symbolic link') } });
    const ref = { task: 'flow', id: '../../etc/passwd' };
    expect((await source.state(ref))?.text).toContain('../../etc/passwd');
    expect((await rowsOf(source, 'flow')).find((row) => row.id === ref.id)?.labels[0]).toContain('No file is named');
    expect(await source.state({ task: 'flow', id: '../outside' })).toBeUndefined();
  });

  it('of 2 GiB or 200,000 levels does not keep the others', async () => {
    const { folder, source } = await storeOf({ id: 'a' });
    await writeFile(join(folder, 'huge.json'), '{');
    await truncate(join(folder, 'huge.json'), 2 * 1024 ** 3);
    await writeFile(join(folder, 'deep.json'), '['.repeat(200_000) + ']'.repeat(200_000));
    const deep = pythonFile({ id: 'deep' }).replace(
      '"state": {}',
      `"state": {"x": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
    );
    await writeFile(join(folder, 'deep.json'), deep);
    const read = await bytesRead(async () => {
      expect((await rowsOf(source, 'flow')).map((row) => row.id).toSorted()).toEqual(['a', 'deep']);
      const [huge] = await rowsOf(source, 'unassigned files');
      expect(huge).toMatchObject({ problem: { code: 'too_large' }, sizeBytes: 2 * 1024 ** 3 });
    });
    // Nothing of the 2 GiB, and the 400 kB not over and over again.
    expect(read).toBeLessThan(4_000_000);
  });

  it('shows copies under one id apart, and the folder that is removed and comes back', async () => {
    const { folder, source } = await storeOf({ id: 'a' });
    await writeFile(join(folder, 'b.json'), pythonFile({ id: 'a' }));
    const rows = await rowsOf(source, 'flow');
    expect(rows.map((row) => [row.id, row.namespace, row.labels])).toEqual([
      ['a', undefined, []],
      ['a', 'b.json', ['This id loads a.json, not this file.']],
    ]);
    expect(await source.find('a')).toHaveLength(2);
    await rename(folder, `${folder}-away`);
    await expect(source.tasks()).rejects.toMatchObject({ code: 'not_found' });
    await rename(`${folder}-away`, folder);
    expect((await source.tasks()).items).toHaveLength(1);
  });

  it('sees a new file, and tells who watches', async () => {
    const { folder, source } = await storeOf({ id: 'a' });
    const changes: object[] = [];
    const unwatch = source.watch((change) => changes.push(change));
    await vi.waitFor(
      async () => {
        await writeFile(join(folder, 'b.json'), pythonFile({ id: 'b', timestamp: '2026-03-15T00:00:00+00:00' }));
        expect(changes.length).toBeGreaterThan(0);
      },
      { timeout: 10_000, interval: 200 },
    );
    unwatch();
    expect((await source.latest('flow')).ref?.id).toBe('b');
    expect(await readdir(folder)).toEqual(['a.json', 'b.json']);
  });

  it('gives pages without gaps, also when the last row is gone', async () => {
    const { folder, source } = await storeOf(
      ...[1, 2, 3, 4, 5].map((n) => ({ id: `c${n}`, timestamp: `2026-03-14T09:00:0${n}+00:00` })),
    );
    const first = await source.checkpoints('flow', { limit: 2 });
    await rename(join(folder, 'c4.json'), join(folder, 'c4.gone'));
    const rest = await source.checkpoints('flow', { limit: 9, cursor: first.cursor ?? '' });
    expect([...first.items, ...rest.items].map((row) => row.id)).toEqual(['c5', 'c4', 'c3', 'c2', 'c1']);
  });
});

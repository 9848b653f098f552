import { mkdir, open, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { allPages, collect } from '@checkpoint-inspector/core/testing';
import { memoryGrowth, milliseconds } from '@checkpoint-inspector/config/measure';
import { describe, expect, it, onTestFinished } from 'vitest';
import { storeOf } from '../src/agent-framework/fixtures/plans.ts';
import { pythonFile } from '../src/agent-framework/fixtures/python.ts';
import { openRows as openCtxRows, projectDdl, rowOf, toolState } from '../src/ctx-sys/test-store.ts';
import { copyOf as kaizenCopy, openKaizen } from '../src/kaizen/fixtures/open.ts';
import { langgraphRow, langgraphSystem } from '../src/langgraph/index.ts';
import { openFixture, openRows } from '../src/langgraph/test-store.ts';
import { copyOf as rlmCopy, openRlmAct } from '../src/rlm-act/fixtures/open.ts';

const TABLE = 'p_x_checkpoints';
const MiB = 1024 * 1024;
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('RLM-Act', () => {
  it('lists a folder with states of 200,000 levels within 6 s', async () => {
    const folder = await rlmCopy('go');
    await symlink(join(folder, '..', 'outside'), join(folder, 'link.json'));
    await mkdir(join(folder, 'folder.json'));
    await writeFile(join(folder, 'deep.json'), '['.repeat(200_000));
    await writeFile(join(folder, 'deep-closed.json'), `{"timestamp": "1", "state": ${nested(200_000)}}`);
    const took = await milliseconds(async () => {
      const source = await openRlmAct(folder);
      await source.checkpoints('go');
    });
    expect(took).toBeLessThan(6_000);
  });

  it('takes no 200 MiB for a file of 2 GiB', async () => {
    const folder = await rlmCopy('go');
    const huge = await open(join(folder, 'huge.json'), 'w');
    await huge.truncate(2 ** 31);
    await huge.close();
    const grown = await memoryGrowth(async () => (await openRlmAct(folder)).checkpoints('go'));
    expect(grown).toBeLessThan(200 * MiB);
  });
});

it('agent-framework lists files of 2 GiB and of 200,000 levels within 6 s and 700 MiB', async () => {
  const { folder, source } = await storeOf({ id: 'a' });
  await writeFile(join(folder, 'huge.json'), '{');
  await truncate(join(folder, 'huge.json'), 2 * 1024 ** 3);
  const deep = pythonFile({ id: 'deep' }).replace('"state": {}', `"state": {"x": ${nested(200_000)}}`);
  await writeFile(join(folder, 'deep.json'), deep);
  const took = await milliseconds(async () => {
    expect((await source.checkpoints('flow')).items).toHaveLength(2);
    expect((await source.checkpoints('unassigned files')).items).toHaveLength(1);
  });
  expect(took).toBeLessThan(6_000);
  expect(process.memoryUsage().rss).toBeLessThan(700 * MiB);
});

describe('Kaizen', () => {
  it('takes no 400 MiB for a bomb of 2 GiB', async () => {
    const folder = await kaizenCopy('plain');
    const zeros = gzipSync(Buffer.alloc(32 * MiB, 0x20));
    await writeFile(join(folder, 'ckpt_bomb.jsonl.gz'), Buffer.concat(Array.from({ length: 64 }, () => zeros)));
    const grown = await memoryGrowth(async () => (await openKaizen(folder)).tasks());
    expect(grown).toBeLessThan(400 * MiB);
  });
});

it('ctx-sys reads a state of 200,000 levels within 6 s', async () => {
  const text = toolState(1, `{"deep": ${nested(200_000)}}`);
  const store = await openCtxRows(projectDdl(TABLE), TABLE, [rowOf('a', 1, { state_json: text }), rowOf('b', 2)]);
  onTestFinished(() => store.close());
  const took = await milliseconds(async () => {
    expect((await store.source.state({ task: 's', id: 'a' }))?.text).toBe(text);
    await store.source.raw?.({ task: 's', id: 'a' });
    await store.source.checkpoints('s');
  });
  expect(took).toBeLessThan(6_000);
});

describe('LangGraph', () => {
  it('opens and lists 16 threads and 477 checkpoints within 300 ms', async () => {
    const store = await openFixture();
    onTestFinished(() => store.close());
    const took = await milliseconds(async () => {
      await langgraphSystem.detect({ kind: 'path', path: store.path, is: 'file' });
      await store.source.tasks();
    });
    expect(took).toBeLessThan(300);
  });

  it('gives every page of a thread of 10,000 within 250 ms, its lineage within 5 s', async () => {
    const ids = Array.from({ length: 10_000 }, (_, n) => {
      const [high, low] = [(n >> 8).toString(16).padStart(4, '0'), (n & 255).toString(16).padStart(2, '0')];
      return `1f1e5add-${high}-60${low}-8001-000000000000`;
    });
    const row = (id: string, n: number) => {
      const more = n === 0 ? {} : { parent: ids[n - 1] ?? '' };
      const values = { text: 'x'.repeat(500) };
      return langgraphRow({ thread: 't', id, ts: '2026-01-01T00:00:00Z', source: 'loop', step: n, values, ...more });
    };
    const store = await openRows(ids.map(row));
    onTestFinished(() => store.close());
    const times: number[] = [];
    await allPages(async (cursor) => {
      const began = performance.now();
      const page = await store.source.checkpoints('t', cursor === undefined ? {} : { cursor });
      times.push(performance.now() - began);
      return page;
    });
    expect(times).toHaveLength(100);
    expect(Math.max(...times)).toBeLessThan(250);
    const took = await milliseconds(async () => expect(await collect(store.source.lineage('t'))).toHaveLength(10_000));
    expect(took).toBeLessThan(5_000);
  });
});

import { storeId } from '@checkpoint-inspector/core';
import { describeSource, describeSystem, type SourceFacts } from '@checkpoint-inspector/core/testing';
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { executor } from '../test-executor.ts';
import { copyOf, fixture, openKaizen, temporaryFolder, type Fixture } from './fixtures/open.ts';
import { isSafeId, kaizenFileName, kaizenSystem } from './index.ts';
import { formatStamp, isoOf, parseStamp } from '../folder/index.ts';
import { errorOf, messagesOf, stepsOf, usageOf } from './view.ts';

async function openCopy(name: Fixture) {
  const folder = await copyOf(name);
  return {
    sources: [await openKaizen(folder)],
    ...executor(),
    bytes: async () => {
      const names = (await readdir(folder)).toSorted();
      return Promise.all(
        names.map(async (file) => {
          const { mode, mtimeMs, ino } = await stat(join(folder, file));
          return { file, mode, mtimeMs, ino, bytes: await readFile(join(folder, file)) };
        }),
      );
    },
  };
}

/** What Kaizen itself lists, resumes and records; ids differ between the plain and the gzip run of the scenario. */
function realFacts(latest: Readonly<Record<string, string>>): SourceFacts {
  const counts = {
    research_agent: [7, 3],
    'writer-агент ✍️': [2, 0],
    autonomous_agent: [2, 0],
    experimental_agent: [1, 1],
    done_agent: [1, 0],
  };
  const tasks = Object.entries(counts).map(([id, [checkpoints = 0, recorded = 0]]) => {
    return { id, checkpoints, unreadable: 0, recorded, latest: latest[id] ?? '' };
  });
  return { tasks };
}

describeSystem('kaizen plain', {
  open: () => openCopy('plain'),
  facts: [
    realFacts({
      research_agent: 'ckpt_5240f7f452f7',
      'writer-агент ✍️': 'ckpt_7ddf7fb0931e',
      autonomous_agent: 'ckpt_9f3f486c613f',
      experimental_agent: 'ckpt_dcd59e90c09c',
      done_agent: 'ckpt_593661d7fd60',
    }),
  ],
});
describeSystem('kaizen gz', {
  open: () => openCopy('gz'),
  facts: [
    realFacts({
      done_agent: 'ckpt_82f90154f6d5',
      'writer-агент ✍️': 'ckpt_b7757ce26a6e',
      autonomous_agent: 'ckpt_fddac6ec144e',
      research_agent: 'ckpt_19bb0a6d13a7',
      experimental_agent: 'ckpt_e0f5469a4f31',
    }),
  ],
});
describeSystem('kaizen bad', {
  open: () => openCopy('bad'),
  facts: [
    {
      tasks: [
        { id: 'bad_agent', checkpoints: 3, unreadable: 1, latest: 'ckpt_0000000exact', recorded: 0 },
        { id: 'unassigned files', checkpoints: 8, unreadable: 8, latest: null },
      ],
    },
  ],
});
describeSource('kaizen enc', { open: async () => ({ source: await openKaizen(fixture('enc')) }) });

const options = { label: 'agents', location: 'agents', nameStore: storeId };

describe('detect', () => {
  it('knows its folders from inside and from above, and a single file', async () => {
    for (const name of ['plain', 'gz', 'enc', 'enc-gz', 'bad'] as const) {
      expect(await kaizenSystem.detect({ kind: 'path', path: fixture(name), is: 'folder' })).toMatchObject({
        system: 'kaizen',
      });
    }
    const project = await temporaryFolder();
    expect(await kaizenSystem.detect({ kind: 'path', path: project, is: 'folder' })).toBeUndefined();
    const folder = join(project, '.kaizen', 'checkpoints');
    await mkdir(folder, { recursive: true });
    expect((await kaizenSystem.detect({ kind: 'path', path: project, is: 'folder' }))?.because).toContain(
      'empty so far',
    );
    await cp(fixture('plain'), folder, { recursive: true });
    for (const path of [project, join(project, '.kaizen'), folder]) {
      expect((await kaizenSystem.detect({ kind: 'path', path, is: 'folder' }))?.because).toBe(
        '13 Kaizen checkpoint files',
      );
      const [source] = await kaizenSystem.open({ kind: 'path', path, is: 'folder' }, options);
      expect((await source?.tasks())?.items).toHaveLength(5);
    }
    const file = join(folder, 'ckpt_351ec65c46d0.jsonl');
    expect(await kaizenSystem.detect({ kind: 'path', path: file, is: 'file' })).toMatchObject({ confidence: 0.9 });
  });

  it('leaves the .jsonl files of others alone', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'session.jsonl'), '{"id": 1}\n{"id": 2}\n');
    await writeFile(join(folder, 'array.jsonl'), '[]\n');
    await writeFile(join(folder, 'checkpoint_cycle_001.jsonl'), '{"cycle": 1}\n');
    expect(await kaizenSystem.detect({ kind: 'path', path: folder, is: 'folder' })).toBeUndefined();
    expect(
      await kaizenSystem.detect({ kind: 'path', path: join(folder, 'session.jsonl'), is: 'file' }),
    ).toBeUndefined();
    await expect(kaizenSystem.open({ kind: 'path', path: folder, is: 'folder' }, options)).rejects.toMatchObject({
      code: 'no_store',
    });
  });
});

describe('times', () => {
  it('are read as Python reads them', () => {
    expect(parseStamp('2026-03-14T09:31:53.589793+00:00')).toMatchObject({ micros: 1773480713589793n, naive: false });
    expect(parseStamp('2026-03-14T09:31:53')).toMatchObject({ micros: 1773480713000000n, naive: true });
    expect(parseStamp('2026-03-14 18:31:53.5+09:00')?.micros).toBe(1773480713500000n);
    expect(parseStamp('2026-03-14T09:31:53Z')?.naive).toBe(false);
    expect(parseStamp('1969-12-31T23:59:59.999999+00:00')?.micros).toBe(-1n);
    for (const text of ['', 'now', '2026-02-31T00:00:00', '2026-03-14T24:00:00', '1773480713', '2026-3-14']) {
      expect(parseStamp(text)).toBeUndefined();
    }
  });

  it('are written with six digits', () => {
    expect(formatStamp(1773480713589793n, false)).toBe('2026-03-14T09:31:53.589793+00:00');
    expect(formatStamp(-1n, true)).toBe('1969-12-31T23:59:59.999999');
    expect(isoOf(1773480713589793n)).toBe('2026-03-14T09:31:53.589Z');
  });
});

it('an id is a file name where every disk takes it', () => {
  expect([kaizenFileName('a', 'gz'), isSafeId('a'), isSafeId('a/b')]).toEqual(['a.jsonl.gz', true, false]);
});

describe('view', () => {
  it('shows messages, steps, errors and usage of a real state', async () => {
    const read = (id: string) => readFile(join(fixture('plain'), `${id}.jsonl`), 'utf8');
    const state = await read('ckpt_351ec65c46d0');
    const [channel] = messagesOf(state);
    expect(channel?.messages.map(({ role, text }) => [role, text])).toEqual([
      ['human', 'Summarise Q3 sales — naïve façade, 北京 🧪'],
      ['ai', 'step 1 done ✓'],
      ['ai', 'step 2 done ✓'],
    ]);
    expect(stepsOf(state).map((step) => step.status)).toEqual([
      'done',
      'done',
      'pending',
      'pending',
      'pending',
      'pending',
    ]);
    expect(usageOf(state)).toEqual({ costUsd: '0.025', tools: [{ name: 'fetch', count: 2 }] });
    expect(errorOf(state)).toBeUndefined();
    expect(errorOf(await read('ckpt_7ddf7fb0931e'))).toBe('TimeoutError: LLM call exceeded 30s');
    expect(errorOf(await read('ckpt_9f3f486c613f'))).toBe('Interrupted by the user (Ctrl+C)');
  });

  it('takes any other shape without failing', () => {
    expect(messagesOf('[]')).toEqual([]);
    expect(stepsOf('{"completed_actions": [1, {"x": 12345678901234567890}], "pending_actions": {}}')).toEqual([
      { name: '{}', status: 'done' },
      { name: '{"x":"12345678901234567890"}', status: 'done' },
    ]);
    expect(usageOf('{"budget_spent_usd": NaN, "tool_usage_counts": {"a": "b"}}')).toEqual({
      costUsd: 'NaN',
      tools: [],
    });
  });
});

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readIndexLine } from './dotnet.ts';
import { copyOf, fixture, openFolder } from './fixtures/open.ts';
import { pendingOf } from './view.ts';

describe('.NET folders, by the written format', () => {
  it('follow the index: its order, its parents, its names', async () => {
    const source = await openFolder(fixture('dotnet'));
    const { items } = await source.checkpoints('run 1');
    expect(items.map((row) => [row.id[0], row.parentId?.[0], row.status, row.stepIndex, row.timeBasis])).toEqual([
      ['c', 'b', 'completed', 1, 'file'],
      ['b', 'a', 'interrupted', 0, 'file'],
      ['a', undefined, 'running', -1, 'file'],
    ]);
    expect(source.info).toMatchObject({
      latestRule: 'last line of index.jsonl',
      notes: [expect.stringContaining('not yet tested')],
    });
    for (const kind of ['restore', 'fork', 'delete'] as const) {
      expect(source.info.capabilities[kind]).toContain('index.jsonl');
    }
  });

  it('show requests that wait, and stay open when the index is gone', async () => {
    const folder = await copyOf('dotnet');
    const source = await openFolder(folder);
    const state = await source.state({ task: 'run 1', id: 'b'.repeat(32) });
    expect(pendingOf(state?.text ?? '')).toEqual([{ id: 'r0', value: { requestId: 'r0' } }]);
    await rm(join(folder, 'index.jsonl'));
    const [task, ...others] = (await source.tasks()).items;
    expect([task?.kind, task?.checkpointCount, others]).toEqual(['unassigned', 6, []]);
  });

  it('keep every line and file: missing, broken, unnamed, outside', async () => {
    const source = await openFolder(fixture('dotnet'));
    const problems = (await source.checkpoints('other')).items.map((row) => [row.id[0], row.problem?.message]);
    expect(problems).toEqual([
      ['d', undefined],
      ['8', 'The data file ../secret.json is missing from the folder.'],
      ['e', expect.stringContaining('is missing from the folder')],
      ['9', expect.any(String)],
    ]);
    expect((await source.latest('other')).note).toContain(`last line of the index names "${'8'.repeat(32)}"`);
    const rest = (await source.checkpoints('unassigned files')).items;
    expect(rest.map((row) => row.problem?.message)).toEqual([
      expect.stringContaining("index.jsonl doesn't list this file"),
      "A line in index.jsonl that doesn't name a checkpoint.",
    ]);
    const line = await source.raw({ task: 'unassigned files', id: rest[1]?.id ?? '' });
    expect(Buffer.from(line ?? []).toString()).toBe('{"checkpointInfo":{"sess');
  });

  it('of before March 2026 have bare lines and plain names', async () => {
    const source = await openFolder(fixture('dotnet-2025'));
    expect((await source.latest('s1')).ref?.id).toBe('2'.repeat(32));
    expect((await source.checkpoints('r0')).items).toHaveLength(1);
    expect(readIndexLine('{"sessionId":"s(1)","checkpointId":"0a"}')?.names).toEqual([
      's%281%29_0a%2Ejson',
      's(1)_0a.json',
    ]);
    expect(readIndexLine('[]')).toBeUndefined();
    expect(readIndexLine('{"sessionId":"s"}')).toBeUndefined();
  });

  it('show a checkpoint that was committed twice once, at its last place; and a session without data', async () => {
    const folder = await copyOf('dotnet-2025');
    const line = (id: string) => `{"sessionId":"s1","checkpointId":"${id.repeat(32)}"}\n`;
    await writeFile(
      join(folder, 'index.jsonl'),
      `${line('1')}${line('2')}${line('1')}{"sessionId":"gone","checkpointId":"x"}`,
    );
    await writeFile(join(folder, `s1_${'2'.repeat(32)}.json`), '{"stepNumber": 1}');
    const source = await openFolder(folder);
    const rows = (await source.checkpoints('s1')).items;
    expect(rows.map((row) => [row.id[0], row.isLatest, row.problem?.message])).toEqual([
      ['1', true, undefined],
      ['2', false, expect.stringContaining('stepNumber and stateData are missing')],
    ]);
    expect(await source.latest('gone')).toMatchObject({ basis: 'none', note: expect.stringContaining('"x"') });
  });
});

import { storeId } from '@checkpoint-inspector/core';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture, temporaryFolder } from './fixtures/open.ts';
import { agentFrameworkSystem } from './index.ts';
import { isoformat as formatStamp, isoOf, parseStamp } from '../folder/index.ts';

const options = { label: 'flows', location: 'flows', nameStore: storeId };

describe('detect', () => {
  it('knows its folders by their content, from inside and from above, and a single file', async () => {
    const because = async (path: string, is: 'folder' | 'file' = 'folder') =>
      (await agentFrameworkSystem.detect({ kind: 'path', path, is }))?.because;
    expect(await because(fixture('counter-forks'))).toBe('20 Agent Framework checkpoint files');
    for (const name of ['hitl', 'legacy-2025-09', 'legacy-2026-02', 'document', 'bad'] as const) {
      expect(await because(fixture(name))).toContain('checkpoint files');
    }
    expect(await because(fixture('dotnet'))).toContain('.NET');
    expect(await because(join(fixture('dotnet-2025'), 'index.jsonl'), 'file')).toContain('.NET');
    expect(await because(join(fixture('document'), 'run-1_writer.json'), 'file')).toContain('checkpoint file');
    const project = await temporaryFolder();
    await cp(fixture('hitl'), join(project, 'checkpoints'), { recursive: true });
    expect(await because(project)).toBe('12 Agent Framework checkpoint files');
    const [source] = await agentFrameworkSystem.open({ kind: 'path', path: project, is: 'folder' }, options);
    expect((await source?.tasks())?.items.map((task) => task.id)).toEqual(['release-notes']);
  });

  it('leaves the files of others alone', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'checkpoints'));
    await writeFile(join(folder, 'package.json'), '{"name": "x"}');
    await writeFile(join(folder, 'index.jsonl'), '{"id": 1}\n');
    await writeFile(join(folder, 'torn.json'), '{');
    for (const name of ['package.json', 'index.jsonl', 'torn.json', 'none.json']) {
      expect(await agentFrameworkSystem.detect({ kind: 'path', path: join(folder, name), is: 'file' })).toBeUndefined();
    }
    expect(await agentFrameworkSystem.detect({ kind: 'path', path: folder, is: 'folder' })).toBeUndefined();
    await expect(
      agentFrameworkSystem.open({ kind: 'path', path: folder, is: 'folder' }, options),
    ).rejects.toMatchObject({
      code: 'no_store',
    });
  });
});

describe('times', () => {
  it('are read as Python reads them', () => {
    expect(parseStamp('2026-11-21T13:25:29.609323+00:00')).toMatchObject({ micros: 1795267529609323n, naive: false });
    expect(parseStamp('2026-11-21T13:25:29')).toMatchObject({ micros: 1795267529000000n, naive: true });
    expect(parseStamp('2026-11-21 22:25:29.5+09:00')?.micros).toBe(1795267529500000n);
    expect(parseStamp('2026-11-21T12:25:29.5-0100')?.micros).toBe(1795267529500000n);
    expect(parseStamp('2026-11-21T13:25:29Z')?.naive).toBe(false);
    expect(parseStamp('1969-12-31T23:59:59.999999+00:00')?.micros).toBe(-1n);
    for (const text of ['', 'now', '2026-02-31T00:00:00', '2026-03-14T24:00:00', '1773480713', '2026-3-14']) {
      expect(parseStamp(text)).toBeUndefined();
    }
  });

  it('are written as isoformat() does: six digits, or none', () => {
    expect(formatStamp(1795267529609323n, false)).toBe('2026-11-21T13:25:29.609323+00:00');
    expect(formatStamp(1795267529000000n, false)).toBe('2026-11-21T13:25:29+00:00');
    expect(formatStamp(-1n, true)).toBe('1969-12-31T23:59:59.999999');
    expect(isoOf(1795267529609323n)).toBe('2026-11-21T13:25:29.609Z');
  });
});

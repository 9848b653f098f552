import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { createDemo } from './index.ts';
import type { Demo } from './index.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const demos: Demo[] = [];

async function demoAt(now: Date): Promise<Demo> {
  const demo = await createDemo({ now, everyMs: 5 });
  demos.push(demo);
  return demo;
}

/** File -> sha256, of every file that belongs to the story. */
async function hashes(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const own = files.filter((file) => !/^(journal|\.pristine)/.test(relative(folder, file))).toSorted();
  return new Map(
    await Promise.all(
      own.map(async (file): Promise<[string, string]> => [
        relative(folder, file),
        createHash('sha256')
          .update(await readFile(file))
          .digest('hex'),
      ]),
    ),
  );
}

afterEach(async () => {
  for (const demo of demos.splice(0)) await demo.remove();
});

describe('the files of the demo', () => {
  it('are the same bytes for the same time', async () => {
    const [one, two] = [await demoAt(NOW), await demoAt(NOW)];
    const first = await hashes(one.folder);
    expect(first.size).toBeGreaterThan(70);
    expect(await hashes(two.folder)).toEqual(first);
  });

  it('come back byte for byte after agents and people were at them', async () => {
    const demo = await demoAt(NOW);
    const before = await hashes(demo.folder);
    await demo.startAgents();
    const research = await openSqliteStore({ path: join(demo.folder, 'research.db') });
    await research.save({ id: 'mine', task: 'competitor-revenue', text: '{}' });
    await research.close();
    await writeFile(join(demo.folder, 'workflows', 'new.json'), '{}');
    await rm(join(demo.folder, 'workflows', 'invoice_reader.json'));
    expect(await hashes(demo.folder)).not.toEqual(before);
    await demo.restore();
    expect(await hashes(demo.folder)).toEqual(before);
    await demo.restore();
    expect(await hashes(demo.folder)).toEqual(before);
  });
});

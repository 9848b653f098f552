/** What is acknowledged is found again and is the latest; what could not be is refused before anything is written. */
import { mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CheckpointManager } from './index.ts';

const MIB = 1024 * 1024;
let project: string;
let folder: string;
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'rlm-limits-'));
  folder = join(project, '.rlm-act-checkpoints');
});
afterEach(() => rm(project, { recursive: true, force: true }));

const managerOf = (maxBytes?: number) =>
  new CheckpointManager(project, { git: { timeoutMs: 1 }, ...(maxBytes === undefined ? {} : { maxBytes }) });
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error as { code?: unknown }).code,
  );

it('around the limit a checkpoint is found again when its write succeeds, else refused with nothing written', async () => {
  const manager = managerOf(2048);
  const outcomes = new Set<unknown>();
  let latest = 'none';
  for (let length = 1780; length < 2048; length++) {
    const files = await readdir(folder).catch(() => []);
    const code = await codeOf(
      manager.writeCheckpoint({ name: `s${length}`, text: 'x'.repeat(length) }, 'research-complete'),
    );
    outcomes.add(code);
    if (code === 'done') latest = `s${length}`;
    else expect(await readdir(folder)).toEqual(files);
    expect((await manager.detectCheckpoint())?.state['name']).toBe(latest);
  }
  expect([...outcomes]).toEqual(['done', 'too_large']);
});

it('a text of some megabytes comes back whole, however many escapes it has', async () => {
  const manager = managerOf();
  const text = `${'line \\ "quoted" \\\\\n'.repeat(200_000)}\\`;
  await manager.writeCheckpoint({ text, plain: 'x'.repeat(12 * MIB) }, 'research-complete');
  expect((await manager.detectCheckpoint())?.state).toEqual({ text, plain: 'x'.repeat(12 * MIB) });
});

it('a state over 32 MiB is refused before the folder is made', async () => {
  const written = managerOf().writeCheckpoint({ text: 'x'.repeat(32 * MIB) }, 'research-complete');
  await expect(written).rejects.toMatchObject({ code: 'too_large', data: { maxBytes: 32 * MIB } });
  expect(await readdir(project)).toEqual([]);
});

it('a checkpoint without a phase is refused: it would never be found', async () => {
  expect(await codeOf(managerOf().writeCheckpoint({}, ''))).toBe('invalid_input');
});

describe('a checkpoint of the pipeline that is too large to read', () => {
  const place = async (timestamp: string | undefined) => {
    const manager = managerOf(2048);
    await manager.writeCheckpoint({ name: 'small' }, 'research-complete');
    const head = timestamp === undefined ? {} : { id: 'huge', phase: 'research-complete', timestamp };
    const huge = join(folder, 'huge.json');
    await writeFile(huge, JSON.stringify({ ...head, state: { text: 'x'.repeat(4096) } }));
    // The clock of files may be some milliseconds behind that of timestamps.
    const later = new Date(Date.now() + 1_000);
    await utimes(huge, later, later);
    return manager;
  };

  it.each([
    ['with a newer timestamp', '2099-01-01T00:00:00.000000Z'],
    ['saved later, without a timestamp', undefined],
  ])('%s stops the pipeline from going on from an older one', async (_, timestamp) => {
    const manager = await place(timestamp);
    await expect(manager.detectCheckpoint()).rejects.toMatchObject({
      code: 'too_large',
      data: { file_path: join(folder, 'huge.json') },
    });
    await rename(join(folder, 'huge.json'), join(project, 'aside'));
    expect((await manager.detectCheckpoint())?.state['name']).toBe('small');
  });

  it('with an older timestamp does not', async () => {
    const manager = await place('2001-01-01T00:00:00Z');
    expect((await manager.detectCheckpoint())?.state['name']).toBe('small');
  });
});

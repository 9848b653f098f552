/** One test per testable behaviour of the source document, named after its number: REQ_013.1 and 013.2. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CheckpointManager, toCheckpointDict } from './index.ts';
import { copyOf, diskOf, HOME, temporaryFolder } from '@checkpoint-inspector/systems/testing/rlm-act/fixtures/open';
import { codeOf, filesOf, managerOf, newManager, NOW, repository, STATE, text, written } from './fixtures/managers.ts';

describe('REQ_013.1 writeCheckpoint', () => {
  it('013.1.1 creates .rlm-act-checkpoints with 0755 if it does not exist', async () => {
    const umask = process.umask(0o077);
    onTestFinished(() => void process.umask(umask));
    const manager = await newManager();
    await manager.writeCheckpoint(STATE, 'research-complete');
    expect(manager.checkpointsDir).toBe(join(manager.projectPath, HOME));
    expect((await stat(manager.checkpointsDir)).mode & 0o777).toBe(0o755);
    await chmod(manager.checkpointsDir, 0o700);
    await manager.writeCheckpoint(STATE, 'research-complete');
    expect((await stat(manager.checkpointsDir)).mode & 0o777).toBe(0o700);
  });

  it('013.1.2 names every file by a UUID v4 of its own', async () => {
    const manager = await newManager();
    for (let n = 0; n < 20; n++) await manager.writeCheckpoint(STATE, 'research-complete');
    const names = await filesOf(manager);
    expect(new Set(names).size).toBe(20);
    for (const name of names) {
      expect(name).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.json$/);
    }
  });

  it('013.1.3 writes JSON with an indentation of two spaces', async () => {
    const manager = await newManager();
    const stored = await readFile(await manager.writeCheckpoint(STATE, 'research-complete'), 'utf8');
    expect(stored).toBe(JSON.stringify(JSON.parse(stored), null, 2));
    expect(stored.split('\n')[1]).toMatch(/^ {2}"id": "/);
  });

  it('013.1.4 stores id, phase, timestamp (RFC 3339), state, errors and git_commit', async () => {
    const { path, commit } = await repository();
    const manager = new CheckpointManager(path, { now: () => NOW });
    const file = await manager.writeCheckpoint(STATE, 'tdd_planning-failed', ['exit 1']);
    const data = JSON.parse(await readFile(file, 'utf8'));
    expect(Object.keys(data)).toEqual(['id', 'phase', 'timestamp', 'state', 'errors', 'git_commit']);
    expect(data).toEqual({
      id: file.slice(-41, -5),
      phase: 'tdd_planning-failed',
      timestamp: '2026-11-21T12:00:00.000000Z',
      state: STATE,
      errors: ['exit 1'],
      git_commit: commit,
    });
  });

  it('013.1.5 writes atomically: a reader never sees half a file, a failure leaves none', async () => {
    const manager = await managerOf({});
    const state = { rows: Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'x'.repeat(50) })) };
    const progress = { done: false };
    const done = manager.writeCheckpoint(state, 'research-complete').finally(() => (progress.done = true));
    let looks = 0;
    while (!progress.done) {
      for (const name of (await filesOf(manager)).filter((file) => file.endsWith('.json'))) {
        const { rows } = JSON.parse(await readFile(join(manager.checkpointsDir, name), 'utf8')).state;
        expect(rows.length).toBe(20_000);
      }
      looks++;
      await sleep(1);
    }
    await done;
    expect(looks).toBeGreaterThan(1);
    const same = new CheckpointManager(manager.projectPath, { newId: () => 'same' });
    await same.writeCheckpoint(STATE, 'research-complete');
    const before = await diskOf(manager.checkpointsDir);
    expect(await codeOf(same.writeCheckpoint(STATE, 'research-failed'))).toBe('changed');
    expect(await diskOf(manager.checkpointsDir)).toEqual(before);
  });

  it('013.1.6 returns the absolute path of the file', async () => {
    const manager = await newManager();
    const file = await manager.writeCheckpoint(STATE, 'research-complete');
    expect(isAbsolute(file)).toBe(true);
    expect(await filesOf(manager)).toEqual([file.slice(manager.checkpointsDir.length + 1)]);
    expect(isAbsolute(new CheckpointManager('relative').checkpointsDir)).toBe(true);
  });

  it('013.1.7 fails if the folder cannot be made', async () => {
    const manager = await newManager();
    await writeFile(manager.checkpointsDir, 'a file');
    expect(await codeOf(manager.writeCheckpoint(STATE, 'research-complete'))).toBe('unsupported');
    const inFile = new CheckpointManager(manager.checkpointsDir);
    expect(await codeOf(inFile.writeCheckpoint(STATE, 'research-complete'))).toBe('not_found');
    expect(await readFile(manager.checkpointsDir, 'utf8')).toBe('a file');
  });

  it('013.1.8 fails if the state cannot be JSON, and names the place', async () => {
    const manager = await newManager();
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    for (const value of [NaN, () => 1, cycle, new Date(), [undefined]]) {
      const failed = manager.writeCheckpoint({ a: { b: value } }, 'research-complete');
      await expect(failed).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining('$.state.a.b'),
      });
    }
    await expect(filesOf(manager)).rejects.toThrow('ENOENT');
  });

  it('013.1.9 fails if the file cannot be written, and continues afterwards', async () => {
    const ids = ['x'.repeat(300), '../escape', 'fine'];
    const manager = await newManager({ newId: () => ids.shift() ?? '' });
    expect(await codeOf(manager.writeCheckpoint(STATE, 'research-complete'))).toBe('invalid_input');
    expect(await codeOf(manager.writeCheckpoint(STATE, 'research-complete'))).toBe('invalid_input');
    expect(await filesOf(manager)).toEqual([]);
    expect(await readdir(manager.projectPath)).toEqual([HOME]);
    expect(await manager.writeCheckpoint(STATE, 'research-complete')).toBe(join(manager.checkpointsDir, 'fine.json'));
  });

  it('013.1.10 stamps the time in UTC with Z, or just after the newest, so that it is found', async () => {
    const real = new CheckpointManager(await temporaryFolder());
    const { timestamp } = await written(real);
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(10_000);
    const manager = await newManager();
    const stamps = await Promise.all([1, 2, 3].map(async () => (await written(manager)).timestamp.slice(20)));
    expect(stamps).toEqual(['000000Z', '000001Z', '000002Z']);
    const ahead = async (newest: string) => (await written(await managerOf({ 'a.json': text(newest) }))).timestamp;
    expect(await ahead('2026-11-21T21:00:00.999999Z')).toBe('2026-11-21T21:00:01.000000Z');
    expect(await ahead('2026-11-21T21:00:00Z')).toBe('2026-11-21T21:00:01Z');
    expect(await ahead('2026-11-21T21:00:00.500000+09:00')).toBe('2026-11-21T21:00:00.500001Z');
    expect(await ahead('2026-11-21T21:00:00')).toBe('2026-11-21T21:00:01Z');
    expect(await ahead('2026-11-21T08:29:44.834706Z')).toBe('2026-11-21T12:00:00.000000Z');
    expect(await ahead('tomorrow')).toBe('2026-11-21T12:00:00.000000Z');
  });

  it('013.1.11 takes states that toCheckpointDict() makes plain objects', async () => {
    const manager = await newManager();
    class PipelineState {
      readonly #path = '/home/dev/project';
      toCheckpointDict() {
        return { project_path: this.#path };
      }
    }
    const file = await manager.writeCheckpoint(new PipelineState(), 'research-complete');
    expect(JSON.parse(await readFile(file, 'utf8')).state).toEqual({ project_path: '/home/dev/project' });
    expect(toCheckpointDict(STATE)).toBe(STATE);
    for (const state of [null, undefined, 1, 'text', [STATE], { toCheckpointDict: () => [] }]) {
      const failed = (async () => manager.writeCheckpoint(state as never, 'research-complete'))();
      expect(await codeOf(failed)).toBe('invalid_input');
    }
    expect(await filesOf(manager)).toHaveLength(1);
  });

  it('013.1.12 stores no errors as an empty array', async () => {
    const manager = await newManager();
    expect((await written(manager, 'research-complete', null)).errors).toEqual([]);
    expect((await written(manager, 'research-complete', [])).errors).toEqual([]);
    const file = await manager.writeCheckpoint(STATE, 'research-complete');
    expect(await readFile(file, 'utf8')).toContain('"errors": [],');
  });
});

describe('REQ_013.2 detectCheckpoint', () => {
  it('013.2.1 is undefined if the folder does not exist', async () => {
    expect(await (await newManager()).detectCheckpoint()).toBeUndefined();
    expect(await new CheckpointManager('/no/such/project').detectCheckpoint()).toBeUndefined();
  });

  it('013.2.2 is undefined if the folder is empty', async () => {
    expect(await (await managerOf({})).detectCheckpoint()).toBeUndefined();
  });

  it('013.2.3 looks at all *.json and nothing else', async () => {
    const stamp = (n: number) => `2026-01-01T00:00:0${n}Z`;
    const manager = await managerOf({
      'a.json': text(stamp(1)),
      '.b.json': text(stamp(2)),
      'c.json.bak': text(stamp(3)),
    });
    expect((await manager.detectCheckpoint())?.timestamp).toBe(stamp(2));
    await mkdir(join(manager.checkpointsDir, 'inner'));
    await writeFile(join(manager.checkpointsDir, 'inner', 'd.json'), text(stamp(4)));
    expect((await manager.detectCheckpoint())?.timestamp).toBe(stamp(2));
  });

  it('013.2.4 reads the timestamp in the file, not its name or its time on the disk', async () => {
    const manager = await managerOf({ 'a.json': text('2026-01-02T00:00:00Z'), 'z.json': text('2026-01-01T00:00:00Z') });
    await writeFile(join(manager.checkpointsDir, 'z.json'), text('2026-01-01T00:00:00Z', { phase: 'saved last' }));
    expect((await manager.detectCheckpoint())?.timestamp).toBe('2026-01-02T00:00:00Z');
  });

  it('013.2.5 sorts by timestamp, newest first, as the pipeline compares them', async () => {
    const stamps = [
      '2026-01-01T00:00:43.900000Z',
      '2026-01-01T00:00:43Z',
      '2026-01-01T00:00:42.999999Z',
      '2025-12-31T23:59:59Z',
    ];
    const files = stamps.map((stamp, n) => [`${n}.json`, text(stamp)] as const);
    const manager = await managerOf(Object.fromEntries(files));
    const seen: (string | undefined)[] = [];
    for (const _ of stamps) {
      const found = await manager.detectCheckpoint();
      seen.push(found?.timestamp);
      await rm(found?.file_path ?? '');
    }
    expect(seen).toEqual([stamps[1], stamps[0], stamps[2], stamps[3]]);
  });

  it('013.2.6 returns the one with the most recent timestamp, of real stores too', async () => {
    const latest = async (name: 'python-new-york' | 'go') =>
      new CheckpointManager(join(await copyOf(name), '..')).detectCheckpoint();
    expect(await latest('python-new-york')).toMatchObject({
      id: 'd52fa138-e9aa-4a58-9e78-bf3fab013661',
      phase: 'decomposition-failed',
      errors: [''],
    });
    expect(await latest('go')).toMatchObject({
      id: '6180342f-8609-4cc6-ad96-8a43db79a994',
      state: { phase_results: { research: { metadata: { big: 9007199254740993n } } } },
    });
  });

  it('013.2.7 adds file_path, which is absolute', async () => {
    const manager = await newManager();
    const file = await manager.writeCheckpoint(STATE, 'research-complete', ['e']);
    const { file_path, ...data } = (await manager.detectCheckpoint()) ?? {};
    expect([file_path, isAbsolute(file)]).toEqual([file, true]);
    expect(data).toEqual(JSON.parse(await readFile(file, 'utf8')));
  });

  it('013.2.8 skips files that are not JSON, or not an object', async () => {
    const good = text('2026-01-01T00:00:00Z');
    const bad = {
      'a.json': '{"id": "a", "timestamp": "2027',
      'b.json': '',
      'c.json': '[1]',
      'd.json': 'null',
      'e.json': '"x"',
    };
    const manager = await managerOf({ ...bad, 'f.json': text('x').replace('"x"', '1'), 'good.json': good });
    await writeFile(join(manager.checkpointsDir, 'g.json'), Buffer.from([0x22, 0xff, 0x22]));
    expect(await manager.detectCheckpoint()).toMatchObject({ file_path: join(manager.checkpointsDir, 'good.json') });
  });

  it('013.2.9 passes over files that cannot be read', async () => {
    const manager = await managerOf({ 'good.json': text('2026-01-01T00:00:00Z') });
    await mkdir(join(manager.checkpointsDir, 'folder.json'));
    await symlink('nowhere', join(manager.checkpointsDir, 'dangling.json'));
    execFileSync('mkfifo', [join(manager.checkpointsDir, 'pipe.json')]);
    await writeFile(join(manager.checkpointsDir, 'secret.json'), text('2026-02-01T00:00:00Z'), { mode: 0o000 });
    const name = process.getuid?.() === 0 ? 'secret.json' : 'good.json'; // root may read all
    expect((await manager.detectCheckpoint())?.file_path).toBe(join(manager.checkpointsDir, name));
  });

  it('013.2.10 fails only where the folder is there and cannot be listed', async () => {
    const manager = await newManager();
    await writeFile(manager.checkpointsDir, 'a file');
    await expect(manager.detectCheckpoint()).rejects.toMatchObject({ name: 'InspectorError' });
    await rm(manager.checkpointsDir);
    expect(await manager.detectCheckpoint()).toBeUndefined();
    await mkdir(manager.checkpointsDir);
    expect(await manager.detectCheckpoint()).toBeUndefined();
  });

  it('013.2.11 takes only checkpoints that have id, phase, timestamp and state', async () => {
    const lacking = { id: '', phase: '', timestamp: '', state: null };
    const later = '2027-01-01T00:00:00Z';
    const files = Object.entries(lacking).flatMap(([key, none]) => [
      [`${key}-none.json`, text(later, { [key]: none })],
      [`${key}-gone.json`, text(later, { [key]: undefined })],
      [`${key}-array.json`, text(later, { [key]: [] })],
    ]);
    const manager = await managerOf({ ...Object.fromEntries(files), 'good.json': text('2026-01-01T00:00:00Z') });
    expect(await manager.detectCheckpoint()).toMatchObject({ timestamp: '2026-01-01T00:00:00Z', git_commit: '' });
    await rm(join(manager.checkpointsDir, 'good.json'));
    expect(await manager.detectCheckpoint()).toBeUndefined();
  });
});

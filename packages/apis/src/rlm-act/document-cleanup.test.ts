/** One test per testable behaviour of the source document, named after its number: REQ_013.3 to 013.5. */
import { watchProcesses } from '@checkpoint-inspector/config/measure';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CheckpointManager, CleanupCounts, getGitCommit } from './index.ts';
import { copyOf, temporaryFolder } from '@checkpoint-inspector/systems/testing/rlm-act/fixtures/open';
import {
  aged,
  codeOf,
  DAY_MS,
  deletable,
  filesOf,
  gitIs,
  managerOf,
  newManager,
  NOW,
  repository,
  text,
  whileUndeletable,
  written,
} from './fixtures/managers.ts';

describe('REQ_013.3 cleanupByAge', () => {
  it('013.3.1 is (0, 0) if the folder does not exist', async () => {
    expect([...(await (await newManager()).cleanupByAge(1))]).toEqual([0, 0]);
  });

  it('013.3.2 takes days as a positive whole number', async () => {
    const manager = await managerOf({ 'a.json': aged(10 * DAY_MS) });
    for (const days of [0, -1, 1.5, NaN, Infinity]) {
      expect(await codeOf(manager.cleanupByAge(days))).toBe('invalid_input');
    }
    expect(await filesOf(manager)).toEqual(['a.json']);
    expect([...(await manager.cleanupByAge(1))]).toEqual([1, 0]);
  });

  it('013.3.3 cuts at the current time minus the days', async () => {
    let now = NOW;
    const manager = await managerOf({ 'a.json': aged(0) }, { now: () => now });
    now = new Date(NOW.getTime() + 3 * DAY_MS);
    expect([...(await manager.cleanupByAge(3))]).toEqual([0, 0]);
    now = new Date(NOW.getTime() + 3 * DAY_MS + 1);
    expect([...(await manager.cleanupByAge(3))]).toEqual([1, 0]);
    const real = await managerOf(
      { 'a.json': text(new Date(Date.now() - DAY_MS - 60_000).toISOString()) },
      { now: () => new Date() },
    );
    expect([...(await real.cleanupByAge(1))]).toEqual([1, 0]);
  });

  it('013.3.4 goes by the timestamp in the file, not by its time on the disk', async () => {
    const manager = await managerOf({ 'old.json': aged(5 * DAY_MS), 'new.json': aged(0) });
    expect([...(await manager.cleanupByAge(2))]).toEqual([1, 0]);
    expect(await filesOf(manager)).toEqual(['new.json']);
  });

  it('013.3.5 deletes what is before the cut, and nothing that is at it', async () => {
    const manager = await managerOf({
      'at.json': aged(DAY_MS),
      'before.json': aged(DAY_MS + 1),
      'after.json': aged(DAY_MS - 1),
    });
    await manager.cleanupByAge(1);
    expect(await filesOf(manager)).toEqual(['after.json', 'at.json']);
  });

  it('013.3.6 returns the counts as a pair', async () => {
    const manager = await managerOf({ 'a.json': aged(2 * DAY_MS), 'b.json': aged(3 * DAY_MS), 'c.json': aged(0) });
    const counts = await manager.cleanupByAge(1);
    expect(counts).toBeInstanceOf(CleanupCounts);
    const [deleted, failed] = counts;
    expect([deleted, failed, counts.deleted, counts.failed]).toEqual([2, 0, 2, 0]);
    expect(JSON.stringify(counts)).toBe('{"deleted":2,"failed":0}');
  });

  it('013.3.7 counts each file that was removed', async () => {
    const files = Array.from({ length: 25 }, (_, n) => [`${n}.json`, aged((n + 1) * DAY_MS)] as const);
    const manager = await managerOf(Object.fromEntries(files));
    expect((await manager.cleanupByAge(5)).deleted).toBe(20);
    expect(await filesOf(manager)).toHaveLength(5);
  });

  it('013.3.8 counts each file that could not be removed, and continues', async () => {
    const manager = await managerOf({
      'a.json': aged(9 * DAY_MS),
      'b.json': aged(9 * DAY_MS),
      'c.json': aged(9 * DAY_MS),
    });
    const counts = await whileUndeletable(manager, 'b.json', () => manager.cleanupByAge(1));
    expect([...counts]).toEqual([deletable(2), 3 - deletable(2)]);
    expect(await filesOf(manager)).toContain('b.json');
  });

  it('013.3.9 passes over what cannot be read, without counting it', async () => {
    const manager = await managerOf({
      'torn.json': aged(9 * DAY_MS).slice(0, 60),
      'array.json': '[]',
      'none.json': '{}',
      'word.json': text('long ago'),
      'number.json': '{"timestamp": 1}',
      'old.json': aged(9 * DAY_MS),
    });
    expect([...(await manager.cleanupByAge(1))]).toEqual([1, 0]);
    expect(await filesOf(manager)).toHaveLength(5);
  });

  it('013.3.10 reads Z and offsets, and leaves a time without a zone alone', async () => {
    const manager = await managerOf({
      'z.json': text('2026-11-20T11:59:59.999999Z'),
      'utc.json': text('2026-11-20T11:59:59+00:00'),
      'east.json': text('2026-11-20T20:59:59+09:00'),
      'east-kept.json': text('2026-11-20T21:00:00+09:00'),
      'west-kept.json': text('2026-11-20T07:00:00.000000-05:00'),
      'z-kept.json': text('2026-11-20T12:00:00Z'),
      'naive-kept.json': text('2020-01-01T00:00:00'),
    });
    expect([...(await manager.cleanupByAge(1))]).toEqual([3, 0]);
    expect(await filesOf(manager)).toEqual(['east-kept.json', 'naive-kept.json', 'west-kept.json', 'z-kept.json']);
  });

  it('013.3.11 counts days of 24 hours, not of the calendar', async () => {
    const now = () => new Date('2026-11-21T00:30:00Z');
    const manager = await managerOf(
      { 'yesterday.json': text('2026-11-20T00:31:00Z'), 'old.json': text('2026-11-20T00:29:00Z') },
      { now },
    );
    expect([...(await manager.cleanupByAge(1))]).toEqual([1, 0]);
    expect(await filesOf(manager)).toEqual(['yesterday.json']);
  });
});

describe('REQ_013.4 cleanupAll', () => {
  it('013.4.1 is (0, 0) if the folder does not exist', async () => {
    expect([...(await (await newManager()).cleanupAll())]).toEqual([0, 0]);
  });

  it('013.4.2 looks at all *.json, broken and hidden ones too', async () => {
    const manager = await managerOf({ 'a.json': aged(0), 'torn.json': '{', 'array.json': '[]', '.hidden.json': '' });
    expect((await manager.cleanupAll()).deleted).toBe(4);
  });

  it('013.4.3 deletes each file that it found', async () => {
    const manager = new CheckpointManager(join(await copyOf('python-new-york'), '..'));
    expect([...(await manager.cleanupAll())]).toEqual([10, 0]);
    expect(await filesOf(manager)).toEqual([]);
    expect(await manager.detectCheckpoint()).toBeUndefined();
  });

  it('013.4.4 returns the counts as a pair', async () => {
    const [deleted, failed] = await (await managerOf({ 'a.json': '{}' })).cleanupAll();
    expect([deleted, failed]).toEqual([1, 0]);
  });

  it('013.4.5 counts each file that was removed; of a link only the link goes', async () => {
    const manager = await managerOf({ 'a.json': '{}', 'b.json': '{}' });
    const outside = join(manager.projectPath, 'outside.json');
    await writeFile(outside, 'precious');
    await symlink(outside, join(manager.checkpointsDir, 'link.json'));
    expect((await manager.cleanupAll()).deleted).toBe(3);
    expect(await readFile(outside, 'utf8')).toBe('precious');
  });

  it('013.4.6 counts each file that could not be removed', async () => {
    const manager = await managerOf({ 'a.json': '{}', 'b.json': '{}' });
    await mkdir(join(manager.checkpointsDir, 'folder.json'));
    expect([...(await manager.cleanupAll())]).toEqual([2, 1]);
  });

  it('013.4.7 leaves the folder itself', async () => {
    const manager = await managerOf({ 'a.json': '{}' });
    await manager.cleanupAll();
    expect((await stat(manager.checkpointsDir)).isDirectory()).toBe(true);
  });

  it('013.4.8 leaves files that are not JSON', async () => {
    const manager = await managerOf({
      'a.json': '{}',
      'notes.txt': 'x',
      'b.JSON': '{}',
      'c.json.tmp': '{}',
      json: '{}',
    });
    await manager.cleanupAll();
    expect(await filesOf(manager)).toEqual(['b.JSON', 'c.json.tmp', 'json', 'notes.txt']);
  });

  it('013.4.9 continues with the others if one cannot be deleted', async () => {
    const manager = await managerOf({ 'a.json': '{}', 'b.json': '{}', 'c.json': '{}' });
    const counts = await whileUndeletable(manager, 'a.json', () => manager.cleanupAll());
    expect([...counts]).toEqual([deletable(2), 3 - deletable(2)]);
    expect(await filesOf(manager)).toContain('a.json');
    expect((await filesOf(manager)).length).toBe(3 - deletable(2));
  });
});

describe('REQ_013.5 getGitCommit', () => {
  it('013.5.1 executes git rev-parse HEAD in the project folder', async () => {
    await gitIs('pwd -P > log; echo "$@" >> log');
    const manager = await newManager();
    await manager.getGitCommit();
    const log = await readFile(join(manager.projectPath, 'log'), 'utf8');
    expect(log).toBe(`${manager.projectPath}\nrev-parse HEAD\n`);
  });

  it('013.5.2 is the hash of 40 digits, in the checkpoint too', async () => {
    const { path, commit } = await repository();
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    expect(await getGitCommit(path)).toBe(commit);
    expect((await written(new CheckpointManager(path))).git_commit).toBe(commit);
  });

  it('013.5.3 is empty outside of a repository, and before its first commit', async () => {
    const manager = await newManager();
    expect(await manager.getGitCommit()).toBe('');
    expect((await written(manager)).git_commit).toBe('');
    execFileSync('git', ['init', '--quiet'], { cwd: manager.projectPath });
    expect(await manager.getGitCommit()).toBe('');
  });

  it('013.5.4 is empty if git fails or is not installed', async () => {
    const { path } = await repository();
    await gitIs('echo e4cf3f474a64bbd4a43953664b54c596fbde0fb5; exit 3');
    expect(await getGitCommit(path)).toBe('');
    await gitIs('echo fatal: something else');
    expect(await getGitCommit(path)).toBe('');
    await gitIs();
    expect(await getGitCommit(path)).toBe('');
  });

  it('013.5.5 is empty if the folder is none', async () => {
    const { path } = await repository();
    await writeFile(join(path, 'file'), '');
    for (const folder of [join(path, 'gone'), join(path, 'file'), `${path}\0`])
      expect(await getGitCommit(folder)).toBe('');
  });

  it('013.5.6 trims the white space around the answer', async () => {
    await gitIs("printf '  \\n e4cf3f474a64bbd4a43953664b54c596fbde0fb5 \\r\\n\\n'");
    expect(await getGitCommit(await temporaryFolder())).toBe('e4cf3f474a64bbd4a43953664b54c596fbde0fb5');
  });

  it('013.5.7 never throws, and a write continues without a commit', async () => {
    await gitIs('kill -9 $$');
    const manager = await newManager();
    await expect(manager.getGitCommit()).resolves.toBe('');
    expect((await written(manager)).git_commit).toBe('');
  });

  it('013.5.8 works in the project path, wherever the program runs', async () => {
    const [first, second] = [await repository(), await repository()];
    await writeFile(join(second.path, 'a'), 'a');
    execFileSync(
      'git',
      ['-c', 'user.name=b', '-c', 'user.email=a@b.c', 'commit', '--quiet', '--amend', '--allow-empty', '-m', 'other'],
      {
        cwd: second.path,
      },
    );
    const commits = [
      await new CheckpointManager(first.path).getGitCommit(),
      await new CheckpointManager(second.path).getGitCommit(),
    ];
    expect(commits[0]).toBe(first.commit);
    expect(commits[1]).toMatch(/^[0-9a-f]{40}$/);
    expect(commits[1]).not.toBe(first.commit);
  });

  it('013.5.9 gives git five seconds', async () => {
    await gitIs('sleep 60 & sleep 60');
    const { limits } = watchProcesses();
    expect(await (await newManager({ git: { timeoutMs: 200 } })).getGitCommit()).toBe('');
    await gitIs('exit 1');
    expect(await getGitCommit(await temporaryFolder())).toBe('');
    expect(limits()).toEqual([200, 5000]);
  });
});

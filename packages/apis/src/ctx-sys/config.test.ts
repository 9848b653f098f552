import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '@checkpoint-inspector/systems/testing/ctx-sys/test-store';
import {
  createCtxSysCheckpointManager,
  loadCheckpointConfig,
  type CheckpointManager,
  type ManagerOptions,
} from './index.ts';

let folder: string;
const open: CheckpointManager[] = [];
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  for (const manager of open.splice(0)) manager.close();
  rmSync(folder, { recursive: true, force: true });
});

const path = (name: string): string => join(folder, name);
async function managerOf(options: Partial<ManagerOptions>): Promise<CheckpointManager> {
  const manager = await createCtxSysCheckpointManager({ path: path('agent.db'), ...options });
  open.push(manager);
  return manager;
}

describe('configuration', () => {
  const config = async (text: string) => {
    writeFileSync(path('ctx-sys.yaml'), text);
    return loadCheckpointConfig(folder);
  };
  const section = (text: string) => config(`agent:\n  checkpoints:\n    ${text}\n`);

  test('an unknown key below agent.checkpoints is named, with its file', async () => {
    await expect(section('maxCheckpoints: 5')).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('ctx-sys.yaml: agent.checkpoints.maxCheckpoints is unknown'),
      data: { key: 'agent.checkpoints.maxCheckpoints' },
    });
    for (const key of ['__proto__: {}', 'toString: 1', '5: true'])
      await expect(section(key)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test.each([
    'enabled: yes please',
    'autoCheckpoint: 1',
    'maxCheckpointsPerSession: 0',
    'maxCheckpointsPerSession: 2.5',
    'pruneAfterDays: -1',
    'pruneAfterDays: .inf',
    'pruneAfterDays: soon',
    'compressState: "true"',
    'enabled: null',
  ])('%s is refused', async (line) => {
    await expect(section(line)).rejects.toMatchObject({ data: { key: `agent.checkpoints.${line.split(':', 1)[0]}` } });
  });

  test('other sections are left alone; empty ones and missing files say nothing', async () => {
    const defaults = { enabled: true, autoCheckpoint: true, maxCheckpointsPerSession: 10, compressState: false };
    expect(await loadCheckpointConfig(folder)).toEqual(defaults);
    for (const text of [
      '',
      'agent:\n',
      'agent:\n  checkpoints:\n',
      'agent:\n  other: {x: 1}\nunknown: [1]\n',
      '- a\n',
      'text',
    ]) {
      expect(await config(text)).toEqual(defaults);
    }
  });

  test('no YAML, no mapping, a link and two documents are named', async () => {
    await expect(config('agent: [')).rejects.toMatchObject({
      message: expect.stringContaining("ctx-sys.yaml isn't valid YAML"),
    });
    await expect(config('a: 1\n---\nb: 2\n')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(config('agent: {checkpoints: 5}')).rejects.toMatchObject({ data: { key: 'agent.checkpoints' } });
    await expect(config('agent: [1]')).rejects.toMatchObject({ data: { key: 'agent' } });
    mkdirSync(path('.ctx-sys'));
    symlinkSync(path('ctx-sys.yaml'), path(join('.ctx-sys', 'config.yaml')));
    await expect(config('')).rejects.toMatchObject({ code: 'unreadable' });
  });

  test('the manager reads the files of its folder; what is given takes precedence over them', async () => {
    await section('maxCheckpointsPerSession: 3');
    expect((await managerOf({ projectFolder: folder })).config.maxCheckpointsPerSession).toBe(3);
    const given = await managerOf({ projectFolder: folder, config: { maxCheckpointsPerSession: 4 } });
    expect(given.config.maxCheckpointsPerSession).toBe(4);
    await expect(managerOf({ config: { maxCheckpointsPerSession: 0 } })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });
});

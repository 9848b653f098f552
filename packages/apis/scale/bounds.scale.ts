import { milliseconds } from '@checkpoint-inspector/config/measure';
import { temporaryFolder as kaizenFolder } from '@checkpoint-inspector/systems/testing/kaizen/fixtures/open';
import { unlocked } from '@checkpoint-inspector/systems/testing/kaizen/fixtures/unlocked';
import { temporaryFolder } from '@checkpoint-inspector/systems/testing/rlm-act/fixtures/open';
import { expect, it } from 'vitest';
import { AgentState, FilesystemStorage } from '../src/kaizen/index.ts';
import { gitIs, newManager } from '../src/rlm-act/fixtures/managers.ts';
import { getGitCommit } from '../src/rlm-act/index.ts';

it('rlm-act gives git five seconds', async () => {
  await gitIs('sleep 60 & sleep 60');
  const took = await milliseconds(async () => expect(await getGitCommit(await temporaryFolder())).toBe(''));
  expect(took).toBeGreaterThan(4_500);
  expect(took).toBeLessThan(9_000);
  const manager = await newManager({ git: { timeoutMs: 200 } });
  expect(await milliseconds(() => manager.getGitCommit())).toBeLessThan(3_000);
});

it('Kaizen saves and reads 100 encrypted files in 10 s more than one, of which the key takes its time', async () => {
  const folder = await kaizenFolder();
  const passphrase = `fresh ${Math.random()}`;
  const storage = new FilesystemStorage({ baseDir: folder, encrypt: true, encryptionKey: passphrase });
  const save = (n: number) => storage.save(new AgentState({ checkpointId: `c${n}`, agentId: 'a' }));
  expect(await milliseconds(() => save(0))).toBeGreaterThan(30);
  const rest = await milliseconds(async () => {
    for (let n = 1; n < 100; n++) await save(n);
    expect((await (await unlocked(folder, passphrase)).tasks()).items[0]?.checkpointCount).toBe(100);
  });
  expect(rest).toBeLessThan(10_000);
});

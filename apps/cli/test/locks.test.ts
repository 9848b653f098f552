import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@checkpoint-inspector/io';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locksOn } from '@checkpoint-inspector/io/testing';
import { BIG, openAgent, SYSTEMS, TASK } from '@checkpoint-inspector/inspector/testing/agents';
import { createProgram } from '../src/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'verb-locks-'));
beforeAll(() => void (process.env['CHECKPOINT_INSPECTOR_STATE'] = join(folder, 'state')));
afterAll(() => {
  delete process.env['CHECKPOINT_INSPECTOR_STATE'];
  rmSync(folder, { recursive: true, force: true });
});

/** Every verb that reads, on a small state and on one that a thread would read. */
function verbsOn(small: string, big: string): readonly (readonly string[])[] {
  const each = (...verb: string[]) => [small, big].map((id) => [...verb, id]);
  return [
    ...['tasks', 'errors', 'inbox', 'usage', 'storage', 'receipts'].map((verb) => [verb]),
    ['list', TASK],
    ['tree', TASK],
    ['growth', TASK],
    ['history', TASK, '$'],
    ['search', 'step', '--wait', '20'],
    ['diff', small, big],
    ...[[], ['--meta'], ['--raw'], ['--path', '$'], ['--find', 'n']].flatMap((more) => each('show', ...more)),
    ...['restore', 'delete'].flatMap((verb) => each(verb, '--dry-run')),
    ['prune', TASK, '--keep-last', '1', '--dry-run'],
    ['export', TASK, '--dry-run'],
    ['report', TASK, '--dry-run'],
    ['verify'],
  ];
}

/** Runs in this process, so that a lock that is dropped is one of ours. */
async function run(args: readonly string[]): Promise<string | undefined> {
  const program = await createProgram({
    version: '0',
    output: { json: true, line: () => undefined, note: () => undefined },
  });
  return program.parseAsync([...args], { from: 'user' }).then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

// Elsewhere the locks of a process are shown nowhere.
describe.skipIf(!existsSync('/proc/locks'))('no verb that reads drops a lock on an open database', () => {
  it.each(SYSTEMS)('%s', async (system) => {
    const path = join(folder, `${system}.db`);
    const agent = await openAgent(system, path);
    const [small, big] = [await agent.save(1, 'step'), await agent.save(2, 'x'.repeat(BIG))];
    await agent.save(3, 'the latest');
    const own = openSqlite(path, { readOnly: true });
    const before = locksOn(path);
    expect(before).toBe(1);
    const failed: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = () => true; // `show --raw` writes bytes past its output
    for (const [verb = '', ...args] of verbsOn(small, big)) {
      const error = await run([verb, '-s', path, ...args]);
      if (error !== undefined) failed.push(`${verb} ${args.join(' ')}: ${error}`);
      if (locksOn(path) < before) failed.push(`${verb} ${args.join(' ')}: dropped a lock`);
    }
    process.stdout.write = write;
    expect(failed).toEqual([]);
    own.close();
    await agent.close();
  });
});

/** Codex itself, after changes by our plans: C1, C2, C7, C8 of the facts, and undo. */
import { storeId, type CheckpointRef, type Plan, type SystemRequest } from '@checkpoint-inspector/core';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordOf, records, textOf } from '../src/folder/view.ts';
import type { LogSource } from '../src/log/index.ts';
import { openCodex } from '../src/codex/fixtures/open.ts';
import { applyPlan, undoPlan } from '../src/test-executor.ts';
import { scriptedModel, type ScriptedModel } from './model.ts';
import { install, type Original } from './original.ts';

const EXEC = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];

type Version = '0.169.0' | '0.96.0';

/** The version of the facts, and the one that wrote the older form. */
const installed: Readonly<Record<Version, Original>> = {
  '0.169.0': await install({ '@openai/codex': '0.169.0' }),
  '0.96.0': await install({ '@openai/codex': '0.96.0' }),
};
afterAll(() => Promise.all(Object.values(installed).map((codex) => codex.remove())));

/** A home with a thread of three turns and a call, written by one Codex and continued by the same or another. */
function harness(wrote: Version, continues: Version) {
  let codex = installed[wrote];
  let model: ScriptedModel;
  let home = '';
  let thread = '';

  const run = async (...args: string[]): Promise<string> => {
    const done = await codex.run(join(codex.folder, 'node_modules/.bin/codex'), args, {
      env: { CODEX_HOME: home, MOCK_KEY: 'dummy' },
      timeoutMs: 120_000,
    });
    if (done.code !== 0) throw new Error(`codex ${args.join(' ')}: ${done.stderr.slice(-800)}`);
    return done.stdout;
  };
  const open = (): Promise<LogSource> => openCodex(home, { id: storeId('codex') });
  /** Plans, applies; the thread and its checkpoint that Codex is to take up. */
  const change = async (request: SystemRequest) => {
    const source = await open();
    const plan = await source.plan(request);
    const { images } = await applyPlan(plan);
    const after = await open();
    const state = plan.view.latestAfter && (await after.state(plan.view.latestAfter));
    expect(state?.revision).toBe(plan.view.proofHash);
    return { plan, images, id: plan.view.targetTask ?? '' };
  };
  const resume = async (id: string): Promise<string[]> => {
    model.take();
    await run(...EXEC, 'resume', id, 'and now?');
    return conversationIn(model.take().at(-1)?.body);
  };
  const marks = async (): Promise<CheckpointRef[]> => {
    const { items } = await (await open()).checkpoints(thread, { limit: 1000 });
    return items.toReversed().map(({ taskId: task, id }) => ({ task, id }));
  };
  const at = async (place: number): Promise<CheckpointRef> => (await marks())[place] ?? { task: thread, id: '' };

  beforeAll(async () => {
    model = await scriptedModel();
    home = join(codex.home, `codex-${continues}`);
    await mkdir(home);
    await writeFile(join(home, 'config.toml'), configOf(model.url));
    model.say({ text: 'a1' });
    await run(...EXEC, 'q1');
    thread = (await (await open()).tasks()).items[0]?.id ?? '';
    model.say(
      {
        calls: [
          {
            name: wrote === '0.96.0' ? 'shell_command' : 'exec_command',
            arguments: { cmd: 'echo hi-there', command: 'echo hi-there' },
          },
        ],
      },
      { text: 'a2' },
    );
    await run(...EXEC, 'resume', thread, 'q2');
    await run(...EXEC, 'resume', thread, 'q3');
    codex = installed[continues];
  });
  afterAll(() => model.close());

  return { change, resume, marks, at, open, rollouts: () => rolloutsIn(home), thread: () => thread };
}

describe.each([
  { name: 'Codex 0.169.0', wrote: '0.169.0', continues: '0.169.0' },
  { name: 'C7: Codex 0.96.0, the older form', wrote: '0.96.0', continues: '0.96.0' },
  { name: 'C7: Codex 0.169.0 with a home of 0.96.0', wrote: '0.96.0', continues: '0.169.0' },
] as const)('$name', ({ wrote, continues }) => {
  const { change, resume, marks, at, open, rollouts, thread } = harness(wrote, continues);
  it('reads what it wrote: three turns and a call', async () => {
    expect(await marks()).toHaveLength(4);
  });
  it('C1: a restored thread continues with the kept turns', async () => {
    const { id } = await change({ kind: 'restore', ref: await at(0) });
    expect(await resume(id)).toEqual(['user: q1', 'assistant: a1', 'user: and now?']);
  });
  it('C1: a thread restored behind a call in the middle of a turn continues with its answer', async () => {
    const { id } = await change({ kind: 'restore', ref: await at(1) });
    expect((await resume(id)).slice(0, 5)).toEqual([
      'user: q1',
      'assistant: a1',
      'user: q2',
      expect.stringMatching(/^call /),
      'hi-there',
    ]);
  });
  it('C2: a fork continues with the lines that it refers to, or has copied', async () => {
    const { id, plan } = await change({ kind: 'fork', ref: await at(2) });
    expect(await resume(id)).toEqual([
      'user: q1',
      'assistant: a1',
      'user: q2',
      expect.stringMatching(/^call /),
      'hi-there',
      'assistant: a2',
      'user: and now?',
    ]);
    expect(plan.view.warnings.some(({ code }) => code === 'fork_by_reference')).toBe(wrote !== '0.96.0');
  });
  it('C8: the model sees the edited text', async () => {
    const ref = await at(0);
    const text = (await (await open()).state(ref))?.text.replace('"text":"a1"', '"text":"edited, naïve ✓"');
    const { id } = await change({ kind: 'edit', ref, text: text ?? '' });
    expect(await resume(id)).toEqual(['user: q1', 'assistant: edited, naïve ✓', 'user: and now?']);
  });
  it('a fork of what Codex did with a fork goes on too', async () => {
    const first = await change({ kind: 'fork', ref: await at(0) });
    await resume(first.id);
    const latest = (await (await open()).latest(first.id)).ref;
    const second = await change({ kind: 'fork', ref: latest ?? { task: '', id: '' } });
    expect(await resume(second.id)).toEqual([
      'user: q1',
      'assistant: a1',
      'user: and now?',
      'assistant: ok',
      'user: and now?',
    ]);
  });
  it('after undo its files are byte for byte as before', async () => {
    const before = await rollouts();
    const kinds = ['restore', 'fork', 'edit'] as const;
    for (const kind of kinds) {
      const ref = await at(0);
      const text = (await (await open()).state(ref))?.text.replace('"a1"', '"b1"') ?? '';
      const { plan, images } = await change(kind === 'edit' ? { kind, ref, text } : { kind, ref });
      expect(await rollouts()).not.toEqual(before);
      await undoPlan(plan satisfies Plan, images);
      expect(await rollouts()).toEqual(before);
    }
    expect((await resume(thread())).slice(0, 2)).toEqual(['user: q1', 'assistant: a1']);
  });
});

/** What the model was sent of the conversation: who said what, calls and their answers. */
function conversationIn(body: unknown): string[] {
  return records(recordOf(body)['input']).flatMap((item) => {
    if (item['type'] === 'function_call') return [`call ${textOf(item['name'])}`];
    if (item['type'] === 'function_call_output')
      return [/hi-there|aborted/.exec(textOf(item['output']))?.[0] ?? 'output'];
    const text = records(item['content'])
      .map((part) => textOf(part['text']))
      .join('');
    if (item['role'] === 'developer' || /^[<#]/.test(text)) return [];
    return [`${textOf(item['role'])}: ${text}`];
  });
}

async function rolloutsIn(home: string): Promise<Record<string, string>> {
  const names = (await readdir(home, { recursive: true })).filter((name) => name.endsWith('.jsonl')).toSorted();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(home, name), 'latin1')])),
  );
}

const configOf = (url: string): string => `model = "mock-1"
model_provider = "mock"
check_for_update_on_startup = false
[model_providers.mock]
name = "mock"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
`;

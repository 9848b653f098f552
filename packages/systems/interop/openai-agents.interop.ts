/** The OpenAI Agents SDK itself continues with what our plans have written. */
import { patchJson, storeId, type CheckpointRef } from '@checkpoint-inspector/core';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenAIAgentsSource } from '../src/openai-agents/index.ts';
import { applyPlan, undoPlan } from '../src/test-executor.ts';
import { scriptedModel, type ScriptedModel } from './model.ts';
import { install, type Original } from './original.ts';

/** `node program.mjs start|approve|reject <file>`: prints what the tool ran, the output, and the state that is left. */
const PROGRAM = `
import { Agent, OpenAIProvider, Runner, RunState, tool } from '@openai/agents';
import { readFile } from 'node:fs/promises';
const ran = [];
const refund = tool({
  name: 'refund', description: 'r', needsApproval: true,
  parameters: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'], additionalProperties: false },
  execute: async ({ amount }) => { ran.push(amount); return 'refunded ' + amount; },
});
const agent = new Agent({ name: 'Triage', model: 'mock-1', tools: [refund] });
const modelProvider = new OpenAIProvider({ apiKey: 'none', baseURL: process.env.MODEL + '/v1', useResponses: true });
const runner = new Runner({ modelProvider, tracingDisabled: true });
const [act, file] = process.argv.slice(2);
let input = 'refund please';
if (act !== 'start') {
  input = await RunState.fromString(agent, await readFile(file, 'utf8'));
  for (const call of input.getInterruptions()) act === 'approve' ? input.approve(call) : input.reject(call);
}
try {
  const result = await runner.run(agent, input);
  console.log(JSON.stringify({ ran, output: result.finalOutput, state: result.state.toString() }));
} catch (error) { console.log(JSON.stringify({ ran, error: String(error.message) })); }
`;

interface Said {
  readonly ran: readonly number[];
  readonly output?: string;
  readonly state: string;
  readonly error?: string;
}

let original: Original;
let model: ScriptedModel;
let folder: string;

beforeAll(async () => {
  model = await scriptedModel();
  original = await install({ '@openai/agents': '0.20.0' });
});
afterAll(async () => {
  await model.close();
  await original.remove();
});

async function program(act: 'start' | 'approve' | 'reject', file = ''): Promise<Said> {
  const path = join(original.folder, 'program.mjs');
  await writeFile(path, PROGRAM);
  const { stdout, stderr } = await original.run('node', [path, act, join(folder, file)], { env: { MODEL: model.url } });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Said;
}

/** A run that waits for the approval of a refund of 30, in a folder of its own. */
async function waiting(name: string): Promise<{ source: OpenAIAgentsSource; ref: CheckpointRef }> {
  folder = join(original.work, name);
  await mkdir(folder);
  model.say({ calls: [{ name: 'refund', arguments: { amount: 30 } }] });
  await writeFile(join(folder, 'waiting.json'), (await program('start')).state);
  const source = await OpenAIAgentsSource.open({ folder, id: storeId('sdk'), label: 'sdk', location: folder });
  const [task] = (await source.tasks()).items;
  return { source, ref: { task: task?.id ?? '', id: 'waiting' } };
}

const bytes = async () =>
  Promise.all(
    (await readdir(folder)).toSorted().map(async (name) => [name, await readFile(join(folder, name), 'latin1')]),
  );

describe('the Agents SDK', () => {
  it('A1: continues a waiting string and its fork, each with its own answer', async () => {
    const { source, ref } = await waiting('a1');
    const before = await bytes();
    const plan = await source.plan({ kind: 'fork', ref });
    const { images } = await applyPlan(plan);
    model.take();
    model.say({ text: 'Refund sent.' }, { text: 'No refund.' });
    expect(await program('approve', 'waiting-fork-1.json')).toMatchObject({ ran: [30], output: 'Refund sent.' });
    expect(await program('reject', 'waiting.json')).toMatchObject({ ran: [], output: 'No refund.' });
    // The model was asked with the same beginning both times.
    const [one, other] = model.take().map(({ body }) => body['input'] as unknown[]);
    expect(one?.slice(0, -1)).toEqual(other?.slice(0, -1));
    await undoPlan(plan, images);
    expect(await bytes()).toEqual(before);
  });

  it('A2: executes edited arguments, as the plan warns', async () => {
    const { source, ref } = await waiting('a2');
    const { text = '' } = (await source.state(ref)) ?? {};
    const edited = text.replaceAll(String.raw`{\"amount\":30}`, String.raw`{\"amount\":999}`);
    const plan = await source.plan({ kind: 'edit', ref, text: edited });
    expect(plan.view.warnings.map(({ code }) => code)).toContain('arguments_executed');
    await applyPlan(plan);
    expect(await program('approve', 'waiting-edit-1.json')).toMatchObject({ ran: [999] });
  });

  it('A3: refuses another schema version in the words that the plan gives', async () => {
    const { source, ref } = await waiting('a3');
    const { text = '' } = (await source.state(ref)) ?? {};
    await writeFile(join(folder, 'waiting.json'), patchJson(text, [{ path: ['$schemaVersion'], text: '"1.23"' }]));
    const said = await program('approve', 'waiting.json').catch((error: unknown) => String(error));
    const refused = await source.plan({ kind: 'fork', ref }).catch((error: unknown) => error as Error);
    expect(refused).toMatchObject({ code: 'unsupported' });
    expect(JSON.stringify(said)).toContain((refused as Error).message);
  });
});

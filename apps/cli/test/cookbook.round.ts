import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedModel, type Answer, type ScriptedModel } from '@checkpoint-inspector/systems/interop/model';
import { nodesAtHand } from './nodes.ts';
import { pack } from './packed.ts';
import { examplesOf } from './pages.ts';
import { createProject, note } from './project.ts';

const page = readFileSync(resolve(import.meta.dirname, '../docs/own-agent.md'), 'utf8');
/** What each recipe needs from the registry, what the model says, and what must show then. */
const RECIPES: readonly Recipe[] = [
  { heading: 'A plain loop', packages: [], task: 'report', checkpoints: 3, words: 'the report' },
  {
    heading: 'LangGraph',
    packages: ['@langchain/langgraph', '@langchain/core'],
    task: 'chat',
    checkpoints: 3,
    words: 'Hello!',
  },
  {
    heading: 'Vercel AI SDK',
    packages: ['ai', '@ai-sdk/openai', 'zod'],
    says: [{ text: 'Revenue has grown.' }],
    task: 'ai-sdk',
    checkpoints: 1,
    words: 'Revenue has grown.',
  },
  {
    heading: 'OpenAI Agents SDK',
    packages: ['@openai/agents', 'zod'],
    says: [{ text: 'Revenue has grown.' }],
    task: 'agents-sdk',
    checkpoints: 1,
    words: 'Revenue has grown.',
  },
];

interface Recipe {
  readonly heading: string;
  readonly packages: readonly string[];
  readonly says?: readonly Answer[];
  readonly task: string;
  readonly checkpoints: number;
  readonly words: string;
}

/** The newest: some of the frameworks need it. */
const node = nodesAtHand().nodes.at(-1);

describe.skipIf(node === undefined || node.line < 22)('the recipes, with the frameworks themselves', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cookbook-'));
  let tarball: string;
  let model: ScriptedModel;
  beforeAll(async () => {
    tarball = pack(join(folder, 'packed')).tarball;
    model = await scriptedModel();
  });
  afterAll(async () => {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(RECIPES)('$heading: its program, unchanged, leaves checkpoints that show', async (recipe) => {
    if (node === undefined) return;
    const project = createProject(join(folder, recipe.task), node);
    project.install(tarball, ...recipe.packages);
    writeFileSync(
      join(project.app, 'agent.mjs'),
      examplesOf(page, 'js').find((one) => one.heading === recipe.heading)?.code ?? '',
    );
    model.say(...(recipe.says ?? []));
    const env = { OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'none', OPENAI_AGENTS_DISABLE_TRACING: '1' };
    expect(await project.runBeside(env, 'node', 'agent.mjs')).toMatchObject({ code: 0 });
    expect(model.take()).toHaveLength(recipe.says?.length ?? 0);
    const list = project.inspector('list', recipe.task, '-s', 'agent.db', '--json');
    expect((JSON.parse(list.out) as { items: unknown[] }).items).toHaveLength(recipe.checkpoints);
    expect(project.inspector('show', `${recipe.task}/latest`, '-s', 'agent.db').out).toContain(recipe.words);
    const versions = recipe.packages.map((name) => `${name} ${versionOf(join(project.app, 'node_modules', name))}`);
    note(`own agent, ${recipe.heading}: ${[`Node ${node.version}`, ...versions].join(', ')}`);
  });
});

const versionOf = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;

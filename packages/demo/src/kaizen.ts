import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { jsonNumber, kaizenDocument } from '@checkpoint-inspector/apis/kaizen';
import { kaizenFileName } from '@checkpoint-inspector/systems/kaizen';
import { ago, seeded } from './seeding.ts';

interface KaizenStep {
  readonly id: number;
  readonly agent: string;
  readonly step: number;
  readonly secondsAgo: number;
  readonly cost: string;
  readonly variant: string;
  readonly note: string;
  readonly parent?: number;
  readonly status?: 'running' | 'completed' | 'failed' | 'interrupted';
  readonly error?: string;
}

const nameOf = (n: number): string => `ckpt_${n.toString(16).padStart(12, '0')}`;

/** A line of steps, each the parent of the next. */
function chain(from: KaizenStep, count: number, notes: readonly string[], costStep: number): KaizenStep[] {
  return Array.from({ length: count }, (_, at) => ({
    ...from,
    id: from.id + at,
    step: from.step + at,
    secondsAgo: from.secondsAgo - at * 45,
    cost: (Number(from.cost) + at * costStep).toFixed(2),
    note: notes[at % notes.length] ?? from.note,
    ...(at === 0 ? {} : { parent: from.id + at - 1 }),
  }));
}

const WORK = ['load documents', 'read chapter', 'draft section', 'check figures'];

/** `prod_agent` forks at step 42 into three prompts; its first parent was pruned long ago. */
function steps(): KaizenStep[] {
  const base = { agent: 'prod_agent', variant: 'base', note: 'load documents', cost: '0.01' };
  const main = chain({ ...base, id: 0x1004, step: 4, secondsAgo: 5_400, parent: 0x1003 }, 39, WORK, 0.0037);
  const fork = (
    id: number,
    variant: string,
    count: number,
    cost: string,
    costStep: number,
    secondsAgo: number,
  ): KaizenStep[] =>
    chain(
      { ...base, id, variant, step: 43, secondsAgo, cost, parent: 0x102a, note: `prompt ${variant}` },
      count,
      [`prompt ${variant}`, 'fetch', 'evaluate'],
      costStep,
    );
  const a = fork(0x2001, 'concise', 16, '0.18', 0.03, 1_560);
  const b = fork(0x3001, 'cite every figure', 3, '0.19', 0.855, 1_500);
  const c = fork(0x4001, 'two-pass', 3, '0.21', 0.115, 1_440);
  const failed = b.map((step, at) =>
    at === b.length - 1 ? { ...step, status: 'failed' as const, error: 'API timeout after 30 s', note: 'fetch' } : step,
  );
  const done = c.map((step, at) => (at === c.length - 1 ? { ...step, status: 'completed' as const } : step));
  const experiment: KaizenStep = {
    id: 0x5001,
    agent: 'experimental_agent',
    step: 43,
    secondsAgo: 1_380,
    cost: '0.22',
    variant: 'temperature 0.2',
    note: 'same prompt, colder',
    parent: 0x102a,
  };
  const broken: KaizenStep = {
    ...experiment,
    id: 0x5002,
    step: 44,
    secondsAgo: 1_320,
    parent: 0x5001,
    status: 'failed',
    error: 'API timeout after 45 s',
  };
  return [...main, ...a, ...failed, ...done, experiment, broken];
}

const PYTHON_TIME = /Z$/;

function documentOf(step: KaizenStep, now: Date): string {
  const timestamp = ago(now, step.secondsAgo).replace(PYTHON_TIME, '000+00:00');
  return kaizenDocument({
    checkpoint_id: nameOf(step.id),
    agent_id: step.agent,
    model: 'demo-model-1',
    timestamp,
    step_number: step.step,
    conversation_history: [
      { role: 'user', content: 'Write the market report' },
      { role: 'assistant', content: step.note },
    ],
    memory_contents: {
      prompt: { variant: step.variant },
      sections: step.step - 3,
      score: jsonNumber((0.5 + step.step / 200).toFixed(3)),
    },
    completed_actions: [{ action: step.note, ok: step.status !== 'failed' }],
    budget_spent_usd: jsonNumber(step.cost),
    tool_usage_counts: { fetch: step.step * 2 },
    parent_checkpoint_id: step.parent === undefined ? null : nameOf(step.parent),
    status: step.status ?? 'running',
    metadata: step.error === undefined ? {} : { error: step.error },
  });
}

/** Writes the folder: plain and gzip files, and one encrypted file without its key. */
export async function seedKaizen(folder: string, now: Date): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const step of steps()) {
    const gzip = step.agent === 'prod_agent' && step.step % 5 === 0;
    const text = `${documentOf(step, now)}\n`;
    const name = kaizenFileName(nameOf(step.id), gzip ? 'gz' : 'plain');
    await writeFile(join(folder, name), gzip ? gzipSync(text) : text, { mode: 0o600 });
  }
  const random = seeded(12);
  const locked = Uint8Array.from({ length: 2_048 }, () => Math.floor(random() * 256));
  await writeFile(join(folder, `${nameOf(0x6001)}.enc.jsonl`), locked, { mode: 0o600 });
}

/** Sessions of a million lines: what a line costs must not grow with how many there are. The time is the processor's. */
import { storeId } from '@checkpoint-inspector/core';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { transcriptRules } from '../src/claude-code/rules.ts';
import { codexRules } from '../src/codex/rules.ts';
import { chatRules } from '../src/gemini-cli/rules.ts';
import { LogSource, type LogRules } from '../src/log/index.ts';

const MILLION = 1_000_000;
/** Enough to tell a line's cost from the square of the lines. */
const SOME = 160_000;
const ID = '01a20000-0000-7000-8000-000000000001';
const TIME = '2026-03-01T10:00:00.000Z';

interface Shape {
  readonly file: string;
  readonly lines: number;
  /** None of them hides a line. */
  readonly checkpoints: (lines: number) => number;
  readonly rules: (root: string) => LogRules;
  /** Line `n` of so many; `undefined` for one that isn't JSON. */
  readonly line: (n: number, count: number) => object | undefined;
}

const codex = (type: string, payload: object) => ({ timestamp: TIME, type, payload });
const claude = (n: number, parent: number, content: unknown, type = 'user') => ({
  parentUuid: parent < 0 ? null : `u${parent}`,
  sessionId: ID,
  type,
  message: { role: type, content, ...(type === 'assistant' && { id: `m${n}`, usage: { output_tokens: n } }) },
  uuid: `u${n}`,
  timestamp: TIME,
});
const gemini = (n: number, type: string, more = {}) => ({
  id: `m${n}`,
  timestamp: TIME,
  type,
  content: `words ${n}`,
  ...more,
});
const header = { sessionId: ID, projectHash: 'p', startTime: TIME };
const inCodex = { file: `rollout-2026-03-01T10-00-00-${ID}.jsonl`, rules: () => codexRules };
const inClaude = { file: `${ID}.jsonl`, rules: () => transcriptRules() };
const inGemini = { file: 'session-2026-03-01T10-00-01a20000.jsonl', rules: (root: string) => chatRules(root) };
const call = (n: number, type: string) =>
  codex('response_item', { type, name: 'shell', call_id: `c${n}`, arguments: '{}' });

/** Those that a person's long work makes, and those that somebody made to stop the reader. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'Codex, calls and answers': {
    ...inCodex,
    lines: MILLION,
    checkpoints: (lines) => lines / 2,
    line: (n) =>
      n === 0
        ? codex('session_meta', { id: ID })
        : n % 2 === 1
          ? call(n, 'function_call')
          : call(n - 1, 'function_call_output'),
  },
  'Codex, calls that nothing answers': {
    ...inCodex,
    lines: SOME,
    checkpoints: (lines) => lines - 1,
    line: (n) => (n === 0 ? codex('session_meta', { id: ID }) : call(n, 'function_call')),
  },
  'Claude Code, prompts and answers': {
    ...inClaude,
    lines: MILLION,
    checkpoints: (lines) => lines,
    line: (n) => claude(n, n - 1, [{ type: 'text', text: `words ${n}` }], n % 2 === 1 ? 'assistant' : 'user'),
  },
  'Claude Code, one call with nothing but failed results': {
    ...inClaude,
    lines: SOME,
    checkpoints: () => 1,
    line: (n) =>
      n === 0
        ? claude(n, -1, [{ type: 'tool_use', id: 'call', name: 'Bash', input: {} }], 'assistant')
        : claude(n, n - 1, [{ type: 'tool_result', tool_use_id: 'call', is_error: true }]),
  },
  'Claude Code, a circle of all lines': {
    ...inClaude,
    lines: SOME,
    checkpoints: (lines) => lines,
    line: (n, count) => claude(n, (n + 1) % count, 'round'),
  },
  'Gemini CLI, prompts and answers': {
    ...inGemini,
    lines: MILLION,
    checkpoints: (lines) => lines,
    line: (n) => (n === 0 ? header : gemini(n, n % 2 === 1 ? 'user' : 'gemini', { tokens: { total: n } })),
  },
  'Gemini CLI, as many rewinds as prompts': {
    ...inGemini,
    lines: SOME,
    checkpoints: (lines) => lines,
    line: (n, count) => (n === 0 ? header : n <= count / 2 ? gemini(n, 'user') : { $rewindTo: `m${count - n}` }),
  },
  'Gemini CLI, every line broken': {
    ...inGemini,
    lines: SOME,
    checkpoints: (lines) => lines,
    line: (n) => (n === 0 ? header : undefined),
  },
};

async function openLog({ file, rules, line }: Shape, count: number): Promise<LogSource> {
  const root = await mkdtemp(join(tmpdir(), 'long-log-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const folder = join(root, 'chats');
  await mkdir(folder);
  const log = await open(join(folder, file), 'w');
  for (let at = 0; at < count; at += 10_000) {
    const lines = Array.from({ length: Math.min(10_000, count - at) }, (_, n) => line(at + n, count));
    await log.write(lines.map((one) => `${one ? JSON.stringify(one) : '{"broken": \u001b'}\n`).join(''));
  }
  await log.close();
  return LogSource.open({ id: storeId('long'), label: 'long', location: root, root: folder }, rules(folder));
}

interface Costs {
  readonly page: number;
  readonly state: number;
}

/** Milliseconds of the processor for the first page and the latest state. */
async function costs(shape: Shape, count: number): Promise<Costs> {
  const source = await openLog(shape, count);
  const task = (await source.tasks()).items[0]?.id ?? '';
  const spent = async (work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return Math.round((user + system) / 1000);
  };
  const page = await spent(() => source.checkpoints(task, { limit: 100 }));
  const { ref } = await source.latest(task);
  const state = await spent(async () => ref && (await source.state(ref)));
  const resident = Math.round(process.memoryUsage().rss / 1_000_000);
  console.log(`${count} lines: first page ${page} ms, latest state ${state} ms of processor, ${resident} MB resident`);
  expect((await source.tasks()).items[0]?.checkpointCount).toBe(shape.checkpoints(count));
  await source.close();
  return { page, state };
}

/** Nothing is measured by it: a busy machine may need minutes. */
const PATIENCE = { timeout: 900_000 };

it.each(Object.entries(SHAPES))(
  '%s: a line costs as much in a long log as in a short one',
  PATIENCE,
  async (_name, shape) => {
    await costs(shape, shape.lines / 40);
    const few = await costs(shape, shape.lines / 8);
    const all = await costs(shape, shape.lines);
    // Reading in the square of the lines would cost 64 times as much.
    expect(all.page).toBeLessThan(24 * Math.max(few.page, 20));
    expect(all.state).toBeLessThan(24 * Math.max(few.state, 20));
  },
);

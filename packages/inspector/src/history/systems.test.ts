/** On every system: what a history says is what reading every state of the branch in full says. */
import {
  equalJson,
  formatPath,
  InspectorError,
  parseJson,
  parsePath,
  sourceOf,
  valueAt,
} from '@checkpoint-inspector/core';
import type { CheckpointSource, HistoryLine, HistoryRow, JsonNode, Path, Task } from '@checkpoint-inspector/core';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plantedCase } from '@checkpoint-inspector/core/testing';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { storeCase } from '../testing/stored-runs/index.ts';
import { openFixture } from '../testing/fixtures.ts';
import { seededStore } from '../testing/seeded.ts';
import { branchOf } from './branch.ts';
import { openHistory } from './lines.ts';

const SYSTEMS: readonly { system: string; source: () => Promise<CheckpointSource>; least: number }[] = [
  { system: 'native', source: seededStore, least: 4 },
  { system: 'native in SQLite', source: savedRun, least: 100 },
  { system: 'ctx-sys', source: () => openFixture('ctx-sys/fixtures/demo-app.db'), least: 100 },
  { system: 'agent-framework', source: () => openFixture('agent-framework/fixtures/counter-forks'), least: 20 },
  { system: 'rlm-act', source: () => openFixture('rlm-act/fixtures/go/.rlm-act-checkpoints'), least: 20 },
  { system: 'openai-agents', source: () => openFixture('openai-agents/fixtures/runstates'), least: 20 },
  { system: 'opencode', source: () => openFixture('opencode/fixtures/opencode.db'), least: 20 },
  { system: 'mastra', source: () => openFixture('mastra/fixtures/mastra.db'), least: 20 },
  { system: 'voltagent', source: () => openFixture('voltagent/fixtures/voltagent.db'), least: 20 },
  { system: 'codex', source: () => openFixture('codex/fixtures/home'), least: 20 },
  { system: 'gemini-cli', source: () => openFixture('gemini-cli/fixtures/five-turns/.gemini'), least: 20 },
  { system: 'claude-code', source: () => openFixture('claude-code/fixtures/sessions/.claude'), least: 20 },
  { system: 'kaizen', source: () => openFixture('kaizen/fixtures/plain'), least: 20 },
  { system: 'langgraph', source: () => openFixture('langgraph/fixtures/js.sqlite'), least: 100 },
  { system: 'langgraph-dev', source: () => openFixture('langgraph-dev/fixtures/py/.langgraph_api'), least: 100 },
];

async function savedRun(): Promise<CheckpointSource> {
  const folder = mkdtempSync(join(tmpdir(), 'history-'));
  const { path } = await storeCase('native', plantedCase(1), folder);
  const store = await openSqliteStore({ path, readOnly: true });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return store;
}

async function rowsOf(source: CheckpointSource, task: string, path: string): Promise<HistoryRow[]> {
  const lines: HistoryLine[] = [];
  for await (const line of await openHistory(source, { task, path })) lines.push(line);
  expect(lines.at(-1)).toMatchObject({ kind: 'done', done: true });
  return lines.filter((line) => 'ref' in line);
}

interface ReadState {
  readonly id: string;
  readonly text: string;
  readonly root: JsonNode;
}

/** The same by brute force: newest first, the ids of checkpoints whose value is not that of the one before. */
function changesIn(states: readonly ReadState[], path: Path): string[] {
  const values = states.map(({ id, text, root }) => {
    const node = valueAt(text, root, path);
    return { id, value: node && sourceOf(text, node) };
  });
  return values
    .filter(({ value }, at) => {
      const before = values[at - 1]?.value;
      return value === undefined || before === undefined ? value !== before : !equalJson(value, before);
    })
    .map(({ id }) => id)
    .reverse();
}

/** Every place down to three steps. */
function pathsIn(text: string): string[] {
  const paths = new Set<string>();
  const visit = (path: Path, node: ReturnType<typeof parseJson>): void => {
    paths.add(formatPath(path));
    if (path.length >= 3) return;
    if (node.kind === 'object') for (const { key, value } of node.members.slice(0, 12)) visit([...path, key], value);
    if (node.kind === 'array') node.items.slice(0, 3).forEach((item, index) => visit([...path, index], item));
  };
  visit([], parseJson(text));
  return [...paths];
}

describe.each(SYSTEMS)('a path history in a $system store', ({ source: make, least }) => {
  it('names the checkpoints that reading every state names', async () => {
    const source = await make();
    const tasks: readonly Task[] = (await source.tasks({ limit: 5 })).items;
    let compared = 0;
    for (const task of tasks.filter(({ kind, unreadable }) => kind !== 'unassigned' && unreadable === 0)) {
      const branch = await branchOf(source, { task: task.id });
      const states = await Promise.all(
        branch.map(async ({ ref, row }) => ({ id: ref.id, text: row && (await source.state(ref))?.text })),
      );
      const read = states.flatMap(({ id, text }): ReadState[] =>
        text === undefined ? [] : [{ id, text, root: parseJson(text) }],
      );
      if (read.length < states.length) continue;
      const paths = new Set([...pathsIn(read[0]?.text ?? '{}'), ...pathsIn(read.at(-1)?.text ?? '{}')]);
      for (const path of [...paths].slice(0, 40)) {
        const rows = await rowsOf(source, task.id, path);
        expect(
          rows.map(({ ref }) => ref.id),
          `${task.id} ${path}`,
        ).toEqual(changesIn(read, parsePath(path)));
        compared += rows.length;
      }
    }
    expect(compared).toBeGreaterThanOrEqual(least);
  });
});

it.each(['js', 'py'])('names, of nodes that ran in one step, the one that wrote the value (%s)', async (language) => {
  const source = await openFixture(`langgraph/fixtures/${language}.sqlite`);
  const writers = async (path: string) =>
    (await rowsOf(source, 'node-error-recovered', path)).flatMap(({ writtenBy }) => (writtenBy ? [writtenBy] : []));
  expect(await writers('$.ok')).toEqual([['fetch_ok']]);
  // Both wrote to the list.
  expect((await writers('$.log')).map((nodes) => nodes.toSorted())).toEqual([['fetch_bad', 'fetch_ok']]);
  expect(await writers('$.url')).toEqual([]);
});

it('shows locked states of a store as a gap', async () => {
  const source = await openFixture('kaizen/fixtures/enc');
  const { items } = await source.tasks();
  const found: HistoryRow[] = [];
  for (const task of items) {
    for (const path of ['$', '$.state']) {
      found.push(...(await rowsOf(source, task.id, path).catch((error: unknown) => noCheckpoint(error))));
    }
  }
  expect(found.length).toBeGreaterThan(0);
  expect(found.every(({ kind, gap }) => kind === 'gap' && gap?.code === 'locked')).toBe(true);
});

function noCheckpoint(error: unknown): HistoryRow[] {
  if (InspectorError.is(error) && error.code === 'not_found') return [];
  throw error;
}

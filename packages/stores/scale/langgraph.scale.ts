/** LangGraph's threads in our store and by LangGraph's own SQLite saver, both synchronous FULL: bytes and time. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { emptyCheckpoint, uuid6, type BaseCheckpointSaver, type Checkpoint } from '@langchain/langgraph-checkpoint';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { openSqlite } from '@checkpoint-inspector/io';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { CheckpointInspectorSaver } from '../src/langgraph.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scale-saver-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

/** About 600 bytes that share little with those of other numbers. */
const words = (n: number): string =>
  Array.from({ length: 100 }, (_, at) => ((n * 7919 + at * 104_729) % 1_000_003).toString(36)).join(' ');

const messageAt = (n: number) =>
  new (n % 2 === 0 ? HumanMessage : AIMessage)({ id: `message-${n}`, content: words(n) });

function checkpointAt(n: number, messages: readonly unknown[]): Checkpoint {
  return {
    ...emptyCheckpoint(),
    id: uuid6(n),
    channel_values: { messages: [...messages], step: n, 'branch:to:model': null },
    channel_versions: { __start__: 1, messages: n + 1, step: n + 1, 'branch:to:model': n + 1 },
    versions_seen: { __input__: {}, __start__: { __start__: 1 }, model: { 'branch:to:model': n } },
  };
}

interface Side {
  readonly path: string;
  readonly saver: BaseCheckpointSaver;
  readonly close: () => unknown;
}

function sides(): { ours: Side; theirs: Side } {
  const [own, other] = ['ours.db', 'theirs.db'].map((name) => join(folder, name)) as [string, string];
  const ours = CheckpointInspectorSaver.fromPath(own);
  const theirs = SqliteSaver.fromConnString(other);
  theirs.db.pragma('synchronous = FULL');
  return {
    ours: { path: own, saver: ours, close: () => ours.store.close?.() },
    theirs: { path: other, saver: theirs, close: () => theirs.db.close() },
  };
}

/** Milliseconds of processor time for steps that are saved in turns with those of the other side. */
async function stepper({ saver }: Side): Promise<(n: number) => Promise<number>> {
  const messages: unknown[] = [];
  let config = { configurable: { thread_id: 'chat', checkpoint_ns: '' } };
  return async (n) => {
    const message = messageAt(n);
    messages.push(message);
    const before = process.cpuUsage();
    const metadata = { source: 'loop', step: n, parents: {} } as const;
    const put = await saver.put(config, checkpointAt(n, messages), metadata, { messages: n + 1, step: n + 1 });
    config = put as typeof config;
    await saver.putWrites(config, [['messages', [message]]], `run-${n}`, '~__pregel_pull, model');
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

it('a conversation of 1,000 steps takes an 80th of the bytes, grows by its steps, and costs at most twice the time', async () => {
  const sizes: Record<string, { ours: number; theirs: number }> = {};
  const { ours, theirs } = sides();
  const [own, other] = [await stepper(ours), await stepper(theirs)];
  const took: [number[], number[]] = [[], []];
  const bytes = () => ({ ours: bytesOf(ours.path), theirs: bytesOf(theirs.path) });
  for (let n = 0; n < 1_000; n++) {
    took[0].push(await own(n));
    took[1].push(await other(n));
    if (n === 399) sizes['400'] = bytes();
  }
  await ours.close();
  await theirs.close();
  sizes['1000'] = bytes();
  const [few, many] = [sizes['400'], sizes['1000']];
  const ratio = median(took[0]) / median(took[1]);
  console.log(
    `measured: bytes of 400 and 1,000 steps ${JSON.stringify(sizes)}; a step ${median(took[0]).toFixed(2)} ms of processor time, SqliteSaver ${median(took[1]).toFixed(2)} ms: ${ratio.toFixed(2)} times`,
  );
  expect((few?.theirs ?? 0) / (few?.ours ?? 0)).toBeGreaterThan(25);
  expect((many?.theirs ?? 0) / (many?.ours ?? 0)).toBeGreaterThan(80);
  // Linear is 2.5 times.
  expect((many?.ours ?? 0) / (few?.ours ?? 0)).toBeLessThan(3.2);
  expect(ratio).toBeLessThan(2);
});

/** Once what is in the log is in the file. */
function bytesOf(path: string): number {
  const db = openSqlite(path, { readOnly: false });
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  return statSync(path).size;
}

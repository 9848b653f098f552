/** Large stores of other systems, written the quick way: by one transaction, or many files at a time. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqlite } from '@checkpoint-inspector/io';
import { kaizenDocument } from '../src/kaizen/fixtures/write.ts';
import { LANGGRAPH_DDL, langgraphRow } from '../src/langgraph/index.ts';

const AT_ONCE = 200;

/** Threads whose checkpoints were saved in turns, and how many of each. */
export interface Threads {
  readonly threads: number;
  readonly each: number;
}

/** Ids 0.1 s apart, as LangGraph makes them. */
export function langgraphId(n: number): string {
  const ticks = (0x1f1_0000_0000_0000n + BigInt(n) * 1_000_000n).toString(16).padStart(15, '0');
  return `${ticks.slice(0, 8)}-${ticks.slice(8, 12)}-6${ticks.slice(12)}-8000-000000000000`;
}

/** The nth checkpoint of a store, with the `before`th as its parent. */
export function langgraphRowOf(thread: string, n: number, before: number | undefined) {
  return langgraphRow({
    thread,
    id: langgraphId(n),
    ...(before === undefined ? {} : { parent: langgraphId(before) }),
    ts: new Date(Date.UTC(2026, 0, 1) + 100 * n).toISOString(),
    source: before === undefined ? 'input' : 'loop',
    step: n,
    values: {
      count: n,
      messages: Array.from({ length: 3 }, (_, at) => ({ role: 'user', content: `${n}: text ${at}` })),
    },
    versions: { messages: n },
    seen: { [`node-${n % 5}`]: { messages: n } },
  });
}

/** The nth checkpoint of all, in `thread-<n mod threads>`; its parent is the one before in its thread. */
export const langgraphRowAt = (n: number, { threads }: Pick<Threads, 'threads'>) =>
  langgraphRowOf(`thread-${n % threads}`, n, n < threads ? undefined : n - threads);

/** Opens a LangGraph file for writing; `save(n)` adds the nth checkpoint. */
export function langgraphWriter(path: string, shape: Pick<Threads, 'threads'>) {
  const database = openSqlite(path, { readOnly: false, create: true });
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = OFF');
  database.exec(LANGGRAPH_DDL);
  const names = Object.keys(langgraphRowAt(0, shape));
  const insert = database.prepare(
    `INSERT INTO checkpoints (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  return { database, save: (n: number) => void insert.run(...Object.values(langgraphRowAt(n, shape))) };
}

export function writeManyThreads(path: string, shape: Threads): void {
  const { database, save } = langgraphWriter(path, shape);
  database.transaction(() => {
    for (let n = 0; n < shape.threads * shape.each; n++) save(n);
  });
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

export const kaizenId = (n: number): string => `ckpt_${n.toString(16).padStart(12, '0')}`;

/** The nth checkpoint of a Kaizen folder, in `agent_<n mod agents>`, a second after the one before. */
export function writeKaizenFile(folder: string, n: number, agents: number): Promise<void> {
  const timestamp = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString().replace('Z', '+00:00');
  const text = kaizenDocument({ checkpoint_id: kaizenId(n), agent_id: `agent_${n % agents}`, timestamp });
  return writeFile(join(folder, `${kaizenId(n)}.jsonl`), `${text}\n`);
}

export async function writeManyFiles(folder: string, count: number, agents: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => from + at);
    await Promise.all(some.map((n) => writeKaizenFile(folder, n, agents)));
  }
}

/** Which threads had rows saved since the last look, read from the end of the tables. */
import type { PostgresReader } from '@checkpoint-inspector/io';

/** What is told of them: these tables name the threads of the list. */
const TABLES = ['checkpoints', 'checkpoint_writes'] as const;
/** A table grows by so many blocks at once; until they are full, rows go into any of them. */
const GROWS_BY = 128;
const XIDS = 1n << 32n;
/** For a transaction that runs longer everything is read again. */
const MOST_LOOKS = 1000;

/** A moment of the tables. */
export interface Look {
  /** Every transaction below it is over, except the ones in `running`. */
  readonly xmax: bigint;
  readonly running: ReadonlySet<bigint>;
  /** No transaction from this one on had begun. */
  readonly next: bigint;
  /** Blocks of each table, as of before `next`. */
  readonly blocks: readonly number[];
  /** The files; others after a rewrite of a table. */
  readonly files: string;
}

interface LookRow {
  readonly snapshot: string;
  readonly files: string;
  readonly isPlain: boolean;
  readonly blocks: string;
}

const each = (sql: string, join: string): string => TABLES.map((table) => sql.replaceAll('%', table)).join(join);

/** In the transaction whose rows are read afterwards. `undefined` where the tables are partitioned. */
export async function lookAt(reader: PostgresReader): Promise<Look | undefined> {
  const sql = `SELECT txid_current_snapshot()::text AS snapshot,
      concat_ws(' ', ${each("pg_relation_filenode('%')", ', ')}) AS files,
      (SELECT bool_and(relkind = 'r' AND NOT relhassubclass) FROM pg_class
        WHERE oid IN (${each("'%'::regclass", ', ')})) AS "isPlain",
      concat_ws(' ', ${each("pg_relation_size('%') / current_setting('block_size')::int", ', ')}) AS blocks`;
  const [row] = await reader.query<LookRow>(sql);
  // After the sizes: whoever begins later writes behind them.
  const [now] = await reader.query<{ age: number }>("SELECT age('3'::xid) AS age");
  if (!row?.isPlain || !now) return undefined;
  const [, xmax = '0', running = ''] = row.snapshot.split(':');
  const top = BigInt(xmax);
  return {
    xmax: top,
    running: new Set(running === '' ? [] : running.split(',').map(BigInt)),
    next: top + mod(BigInt(now.age) + 3n - top),
    blocks: row.blocks.split(' ').map(Number),
    files: row.files,
  };
}

const mod = (xid: bigint): bigint => ((xid % XIDS) + XIDS) % XIDS;

export interface Saved {
  /** Somebody has committed something, anywhere on the server. */
  readonly hasCommits: boolean;
  readonly threads?: readonly string[];
}

/** Looks of the past that say where the rows of a transaction can be. */
export class Looks {
  #looks: readonly Look[] = [];

  /**
   * The threads in which rows that the last look didn't see are now; absent where only reading everything tells.
   * New is a row whose transaction the last look saw running or not begun: one that commits late is found by its number,
   * whenever it wrote. It wrote behind what the tables were before it began, because rows are added at their end; a row
   * that found free space further up is not told.
   */
  async savedSince(reader: PostgresReader, now: Look | undefined): Promise<Saved> {
    const before = this.#looks.at(-1);
    if (before === undefined || now === undefined || !follows(before, now)) {
      this.#looks = now === undefined ? [] : [now];
      return { hasCommits: true };
    }
    const late = [...before.running].filter((xid) => !now.running.has(xid));
    if (late.length === 0 && now.xmax === before.xmax) return { hasCommits: false, threads: [] };
    const first = late.reduce((least, xid) => (xid < least ? xid : least), before.xmax);
    const start = this.#looks.findLast(({ next }) => next <= first);
    this.#remember(now);
    if (start === undefined) return { hasCommits: true };
    // The age of a transaction is how many have begun since; frozen rows may look young, and are looked at once more.
    const age = now.next - first;
    const sql = TABLES.map((table, at) => {
      const block = Math.max(0, (start.blocks[at] ?? 0) - GROWS_BY);
      return `SELECT thread_id AS id FROM ${table} WHERE ctid >= '(${block},0)' AND age(xmin) <= ${age}`;
    });
    const rows = await reader.query<{ id: string }>(sql.join(' UNION '));
    return { hasCommits: true, threads: rows.map(({ id }) => id) };
  }

  /** Those before the oldest that may still be asked for are not needed. */
  #remember(now: Look): void {
    const oldest = [...now.running].reduce((least, xid) => (xid < least ? xid : least), now.xmax);
    const needed = this.#looks.findLastIndex(({ next }) => next <= oldest);
    this.#looks = [...this.#looks.slice(Math.max(0, needed)), now].slice(-MOST_LOOKS);
  }
}

/** The same tables of the same server, later and not shrunk. */
function follows(before: Look, now: Look): boolean {
  return (
    now.files === before.files &&
    now.xmax >= before.xmax &&
    now.blocks.every((blocks, at) => blocks >= (before.blocks[at] ?? 0))
  );
}

/** Whether the nodes of a schema are what was saved: every hash is worked out again. */
import type { PostgresDatabase, PostgresSnapshot } from '../../postgres/open.ts';
import {
  causesOf,
  damagedStates,
  refsOf,
  wrongNodes,
  type CheckedRow,
  type DamagedState,
  type NodeRow,
} from '../check.ts';

const BATCH = 500;
const NEXT = `SELECT id, kind, body, encode(hash, 'hex') AS hash FROM nodes WHERE id > $1 ORDER BY id LIMIT ${BATCH}`;
const HASHES = "SELECT id, encode(hash, 'hex') AS hash FROM nodes WHERE id = ANY($1::bigint[])";

type Row<Columns> = Columns & { readonly [column: string]: unknown };

/** All nodes in batches, each read at one moment: others may save and collect between two. */
export async function* damagedNodesIn(database: PostgresDatabase): AsyncIterable<readonly number[]> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    const from: number = after;
    const { last, bad } = await database.snapshot((reader) => checkBatch(reader, from));
    yield bad;
    after = last;
  }
}

async function checkBatch(reader: PostgresSnapshot, after: number) {
  type Found = Row<{ id: string; kind: number; body: string; hash: string }>;
  const rows = (await reader.query<Found>(NEXT, [after])).map(({ id, kind, body, hash }): NodeRow => [
    Number(id),
    kind,
    body,
    hash,
  ]);
  const referred = await reader.query<Row<{ id: string; hash: string }>>(HASHES, [refsOf(rows).map(String)]);
  const hashes = new Map(referred.map(({ id, hash }) => [Number(id), hash]));
  return { last: rows.at(-1)?.[0], bad: wrongNodes(rows, hashes) };
}

const REFERRING = 'SELECT id, body FROM nodes WHERE position(chr(31) IN body) > 0';
const ROOTS = `SELECT task, namespace, c.id, root, state_hash, encode(hash, 'hex') AS hash
  FROM checkpoints AS c LEFT JOIN nodes ON nodes.id = root ORDER BY seq`;

/** The checkpoints that have one of these nodes, and those whose root isn't the one that was saved. */
export function statesWithIn(
  database: PostgresDatabase,
  bad: readonly number[],
  prefix: string,
): Promise<DamagedState[]> {
  return database.snapshot(async (reader) => {
    const referring: [number, string][] = [];
    if (bad.length > 0)
      for await (const rows of reader.batches<Row<{ id: string; body: string }>>(REFERRING))
        for (const { id, body } of rows) referring.push([Number(id), body]);
    const causes = causesOf(bad, referring);
    const states: DamagedState[] = [];
    for await (const rows of reader.batches<Row<Omit<CheckedRow, 'root'> & { root: string }>>(ROOTS)) {
      const checked = rows.map((row) => ({ ...row, root: Number(row.root) }));
      states.push(...damagedStates(checked, causes, prefix));
    }
    return states;
  });
}

/** Whether the nodes of a store are what was saved: every hash is worked out again. */
import { refsIn } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '../sqlite/index.ts';
import { sha256 } from '../files/text.ts';
import { readTogether } from './rows.ts';
import { prepared } from './statements.ts';

const BATCH = 500;
const NEXT = `SELECT id, kind, body, lower(hex(hash)) FROM nodes WHERE id > ? ORDER BY id LIMIT ${BATCH}`;
const HASHES = 'SELECT id, lower(hex(hash)) FROM nodes WHERE id IN (SELECT value FROM json_each(?))';
const REF = /\u001f(\d+);/g; // oxlint-disable-line no-control-regex -- as in the bodies of nodes

/** A node as stored, with its hash in hex. */
export type NodeRow = readonly [id: number, kind: number, body: unknown, hash: string];

/** A checkpoint whose state has a damaged part. */
export interface DamagedState {
  readonly task: string;
  readonly namespace: string;
  readonly id: string;
  /** The part that is damaged or missing. */
  readonly node: number;
}

/** All nodes in batches, each read at one moment: others may save and collect between two. */
export function* damagedNodes(db: SqliteDatabase): Generator<readonly number[]> {
  let after = 0;
  for (;;) {
    const { last, bad } = readTogether(db, () => checkBatch(db, after));
    yield bad;
    if (last === undefined) return;
    after = last;
  }
}

function checkBatch(db: SqliteDatabase, after: number): { last: number | undefined; bad: number[] } {
  const rows = prepared<NodeRow>(db, NEXT, true).all(after);
  const hashes = new Map(prepared<[number, string]>(db, HASHES, true).all(JSON.stringify(refsOf(rows))));
  return { last: rows.at(-1)?.[0], bad: wrongNodes(rows, hashes) };
}

/** What these nodes refer to, each once. */
export function refsOf(rows: readonly NodeRow[]): number[] {
  return [...new Set(rows.flatMap(([, , body]) => (typeof body === 'string' ? refsIn(body) : [])))];
}

/** Those whose hash isn't that of their content. `hashes`: of what they refer to. */
export function wrongNodes(rows: readonly NodeRow[], hashes: ReadonlyMap<number, string>): number[] {
  return rows.flatMap(([id, kind, body, hash]) => {
    if (typeof body !== 'string') return [id];
    // A reference counts by what it refers to, so that equal contents have equal hashes.
    const text = body.replace(REF, (_, ref: string) => `\u001f${hashes.get(Number(ref)) ?? 'missing'};`);
    return sha256(`${kind} ${text}`) === hash ? [] : [id];
  });
}

const ROOTS = `SELECT task, namespace, id, root, state_hash, (SELECT lower(hex(hash)) FROM nodes WHERE id = root) AS hash
  FROM checkpoints ORDER BY seq`;
const REFERRING = 'SELECT id, body FROM nodes WHERE instr(body, char(31)) > 0';

/** A checkpoint and the root of its state. */
export interface CheckedRow {
  readonly task: string;
  readonly namespace: string;
  readonly id: string;
  readonly root: number;
  readonly state_hash: string;
  /** Null where the root is missing. */
  readonly hash: string | null;
}

/** The checkpoints that have one of these nodes, and those whose root isn't the one that was saved. */
export function statesWith(db: SqliteDatabase, bad: readonly number[], prefix: string): DamagedState[] {
  return readTogether(db, () => {
    const referring = bad.length === 0 ? [] : prepared<[number, string]>(db, REFERRING, true).all();
    return damagedStates(prepared<CheckedRow>(db, ROOTS).all(), causesOf(bad, referring), prefix);
  });
}

/** Of these checkpoints those that are damaged. `prefix`: what the revision of a state begins with that names its root. */
export function damagedStates(
  rows: readonly CheckedRow[],
  causes: ReadonlyMap<number, number>,
  prefix: string,
): DamagedState[] {
  return rows.flatMap(({ task, namespace, id, root, state_hash, hash }) => {
    const isOther = hash === null || (state_hash.startsWith(prefix) && state_hash !== prefix + hash);
    const node = causes.get(root) ?? (isOther ? root : undefined);
    return node === undefined ? [] : [{ task, namespace, id, node }];
  });
}

/** Every node that a damaged one can be reached from, with that damaged one. `referring`: nodes that refer to others. */
export function causesOf(
  bad: readonly number[],
  referring: Iterable<readonly [id: number, body: string]>,
): Map<number, number> {
  const causes = new Map(bad.map((id) => [id, id]));
  const parents = new Map<number, number[]>();
  for (const [id, body] of referring)
    for (const ref of refsIn(body)) parents.set(ref, [...(parents.get(ref) ?? []), id]);
  const wanted = [...bad];
  for (let node = wanted.pop(); node !== undefined; node = wanted.pop()) {
    for (const parent of parents.get(node) ?? []) {
      if (causes.has(parent)) continue;
      causes.set(parent, causes.get(node) ?? node);
      wanted.push(parent);
    }
  }
  return causes;
}

import {
  InspectorError,
  memberOf,
  parseJson,
  sha256Hex,
  sortedPage,
  sourceOf,
  stringOf,
} from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointSource, StoreInfo, Task } from '@checkpoint-inspector/core';
import { readBounded } from '@checkpoint-inspector/io';

/** A line of the file; a checkpoint's id is its number. */
interface Row {
  readonly id: string;
  readonly task: string;
  readonly line: string;
  readonly time?: string;
  /** JSON text, exactly as it is in the line. */
  readonly state?: string;
  readonly problem?: CheckpointMeta['problem'];
}

function rowOf(line: string, number: number): Row {
  const id = String(number);
  try {
    const entry = parseJson(line);
    if (entry.kind !== 'object') throw new Error('it is not an object');
    const [run, at, memory] = ['run', 'at', 'memory'].map((key) => memberOf(entry, key)?.value);
    if (!run || !at || !memory) throw new Error('it has no run, at or memory');
    const time = new Date(stringOf(line, at)).toISOString();
    return { id, task: stringOf(line, run), line, time, state: sourceOf(line, memory) };
  } catch (cause) {
    const message = `Line ${id} isn't a checkpoint: ${InspectorError.from(cause).message}`;
    return { id, task: '', line, problem: { code: 'unreadable', message } };
  }
}

/** The rows of one task as they are listed, oldest first. */
function metasOf(store: StoreInfo['id'], rows: readonly Row[]): CheckpointMeta[] {
  const latest = rows.findLast((row) => row.state !== undefined);
  return rows.map((row, at) => {
    const { id, task: taskId, line, time, problem } = row;
    const parentId = problem ? undefined : rows[at - 1]?.id;
    const sizeBytes = new TextEncoder().encode(line).length;
    const facts = { store, id, taskId, seq: at + 1, labels: [], sizeBytes, isLatest: row === latest };
    const lineage = parentId === undefined ? { lineage: 'none' as const } : { lineage: 'inferred' as const, parentId };
    if (time === undefined)
      return { ...facts, ...lineage, timeBasis: 'none', status: 'unknown', ...(problem && { problem }) };
    return { ...facts, ...lineage, timeBasis: 'utc', createdAt: time, status: 'unknown' };
  });
}

function taskOf(metas: readonly CheckpointMeta[]): Task[] {
  const latest = metas.find((meta) => meta.isLatest);
  const counts = { checkpointCount: metas.length, unreadable: metas.filter((meta) => meta.problem).length };
  return metas.slice(0, 1).map(({ store, taskId: id }) => {
    const facts = { store, id, title: id || 'Unreadable lines', system: 'diary', ...counts };
    if (!latest?.createdAt) return { ...facts, status: 'unknown', kind: 'unassigned' };
    return { ...facts, status: 'unknown', latestId: latest.id, updatedAt: latest.createdAt };
  });
}

const placeOf = ({ updatedAt = '', id }: Task) => [updatedAt, id];
const isAfter = ({ updatedAt = '', id: own }: Task, [time = '', id = '']: readonly string[]): boolean =>
  updatedAt === time ? own > id : updatedAt < time;

/** A diary, read only. The file is read at each call, so that an answer is never older than the file. */
export function diarySource(info: StoreInfo, path: string): CheckpointSource {
  const rowsOf = async (task?: string, signal?: AbortSignal): Promise<Row[]> => {
    signal?.throwIfAborted();
    const [, ...lines] = new TextDecoder().decode(await readBounded(path)).split('\n');
    const rows = lines.flatMap((line, at) => (line === '' ? [] : [rowOf(line, at + 2)]));
    return rows.filter((row) => task === undefined || row.task === task);
  };
  const listed = async (task: string, signal?: AbortSignal) => metasOf(info.id, await rowsOf(task, signal));
  return {
    info,
    async tasks({ text = '', signal, ...query } = {}) {
      const ids = [...new Set((await rowsOf(undefined, signal)).map((row) => row.task))];
      const tasks = (await Promise.all(ids.map((id) => listed(id, signal)))).flatMap(taskOf);
      const wanted = tasks.filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()));
      return sortedPage(
        wanted.toSorted((a, b) => (isAfter(a, placeOf(b)) ? 1 : -1)),
        { ...query, placeOf, isAfter },
      );
    },
    async checkpoints(task, { around, signal, ...query } = {}) {
      const newestFirst = (await listed(task, signal)).toReversed();
      const at = newestFirst.findIndex((meta) => meta.id === around?.id);
      return sortedPage(newestFirst, {
        ...query,
        around: at === -1 ? undefined : at,
        placeOf: ({ id }) => [id],
        isAfter: (meta, [id]) => Number(meta.id) < Number(id),
      });
    },
    async *lineage(task, { signal } = {}) {
      for (const { id, parentId, lineage: kind, seq, status, isLatest, problem } of await listed(task, signal)) {
        signal?.throwIfAborted();
        const parent = parentId && { parent: { task, id: parentId } };
        yield { id, kind, seq, status, isLatest, ...parent, ...(problem && { problem: problem.code }) };
      }
    },
    async meta({ task, namespace, id }, { signal } = {}) {
      return namespace ? undefined : (await listed(task, signal)).find((meta) => meta.id === id);
    },
    async state({ task, namespace, id }, { signal } = {}) {
      const row = namespace ? undefined : (await rowsOf(task, signal)).find((one) => one.id === id);
      if (row?.problem) throw new InspectorError('unreadable', row.problem.message, { data: { task, id } });
      return row?.state === undefined ? undefined : { text: row.state, revision: await sha256Hex(row.state) };
    },
    async latest(task, { signal } = {}) {
      const id = (await listed(task, signal)).find((meta) => meta.isLatest)?.id;
      return id === undefined ? { basis: 'none' } : { ref: { task, id }, basis: 'rule' };
    },
    async find(id, { signal } = {}) {
      return (await rowsOf(undefined, signal)).flatMap((row) => (row.id === id ? [{ task: row.task, id }] : []));
    },
  };
}

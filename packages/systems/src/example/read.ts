import { InspectorError, memberOf, parseJson, sourceOf, stringOf } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointRef, CheckpointSource, StoreInfo } from '@checkpoint-inspector/core';
import { readBounded, readingSource, watchFolder } from '@checkpoint-inspector/io';
import { dirname } from 'node:path';
import { listed, type ListedRow } from '../kit/listed.ts';

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

function toRow({ id, line, time, problem }: Row): ListedRow {
  const sizeBytes = new TextEncoder().encode(line).length;
  if (time === undefined) return { id, sizeBytes, parent: 'none', ...(problem && { problem }) };
  return { id, sizeBytes, createdAt: time, timeBasis: 'utc' };
}

/** The lines of a diary as they are now. */
type Lines = readonly Row[];

async function linesOf(path: string): Promise<Lines> {
  const [, ...lines] = new TextDecoder().decode(await readBounded(path)).split('\n');
  return lines.flatMap((line, at) => (line === '' ? [] : [rowOf(line, at + 2)]));
}

const lineAt = (lines: Lines, { task, namespace, id }: CheckpointRef): Row | undefined =>
  namespace ? undefined : lines.find((row) => row.task === task && row.id === id);

/** A diary, read only. The file is read at each call, so that an answer is never older than the file. */
export function diarySource(info: StoreInfo, path: string): CheckpointSource {
  const lists = listed<Lines>({
    store: info.id,
    system: 'diary',
    tasks: (lines) => [...new Set(lines.map(({ task }) => task))].map(taskOf),
    rows: (lines, task) => lines.filter((row) => row.task === task).map(toRow),
  });
  return readingSource<Lines>(
    {
      ...lists,
      state: (lines, ref) => {
        const row = lineAt(lines, ref);
        if (row?.problem) throw new InspectorError('unreadable', row.problem.message, { data: { ...ref } });
        return row?.state === undefined ? undefined : { text: row.state };
      },
      raw: (lines, ref) => {
        const row = lineAt(lines, ref);
        return row && new TextEncoder().encode(row.line);
      },
      find: (lines, id) => lines.flatMap((row) => (row.id === id ? [{ task: row.task, id }] : [])),
      plan: async () => {
        throw new InspectorError('unsupported', String(info.capabilities.restore));
      },
    },
    {
      take: async ({ signal }) => {
        signal?.throwIfAborted();
        return linesOf(path);
      },
      info: () => info,
      watch: (onChange) => watchFolder(dirname(path), onChange),
      close: () => undefined,
    },
  );
}

const taskOf = (id: string) => (id === '' ? { id, title: 'Unreadable lines', kind: 'unassigned' as const } : { id });

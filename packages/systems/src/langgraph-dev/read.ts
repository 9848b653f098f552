/** A dev server's files as a store: read by the rules for LangGraph's tables, never written. */
import {
  InspectorError,
  type Changeable,
  type CheckpointSource,
  type StoreInfo,
  type Task,
} from '@checkpoint-inspector/core';
import { readingSource, realPath, watchFolder, type SqliteRules } from '@checkpoint-inspector/io';
import { join } from 'node:path';
import { INTERNAL_CHANNELS, keyOf, readingRules } from '../langgraph/read.ts';
import type { DevFiles } from './files.ts';
import { Loader, type DevReading } from './loader.ts';

type Names = Pick<StoreInfo, 'id' | 'label'> & { readonly location: string };

/** The first reading is made before it opens. @throws InspectorError busy | unreadable | unsupported_version | too_large */
export async function openDevFiles(names: Names, files: DevFiles): Promise<CheckpointSource & Changeable> {
  const loader = new Loader(names.id, files);
  loader.release(await loader.take());
  return readingSource(rulesOf(names, files), {
    take: (options) => loader.take(options),
    release: (reading) => loader.release(reading),
    info: () => infoOf(names, files),
    watch: (onChange) => watchFolder(files.folder, onChange),
    close: () => loader.close(),
  });
}

function rulesOf({ id }: Names, { server }: DevFiles): Omit<SqliteRules<DevReading>, 'read' | 'info'> {
  const rules = readingRules(id);
  return {
    ...rules,
    // What one row refuses besides is of no use where all are refused.
    capability: () => ({}),
    tasks: async (reading, query) => {
      const page = await rules.tasks(reading, query);
      const items = page.items.map((task) => withFacts(reading, task));
      return { ...page, items };
    },
    raw: ({ queries }, ref) => queries.stored(ref.task, keyOf(ref)),
    beside: async (reading, ref) => {
      const beside = await rules.beside?.(reading, ref);
      return beside && reading.queries.named(ref.task, keyOf(ref), beside);
    },
    plan: () => Promise.reject(new InspectorError('unsupported', refusal(server))),
  };
}

/** With what the server says beside the checkpoints. A run can fail without a trace in them, at a recursion limit for one. */
function withFacts({ queries, failed }: DevReading, task: Task): Task {
  const graph = queries.graphOf(task.id);
  const note = failed.has(task.id) && task.status !== 'failed' ? SERVER_FAILED : task.latestNote;
  return { ...task, ...(graph !== undefined && { agentId: graph }), ...(note !== undefined && { latestNote: note }) };
}

const SERVER_FAILED = "The server's last run here ended with an error that isn't stored with the checkpoints.";

function infoOf({ id, label, location }: Names, { server, folder, main }: DevFiles): StoreInfo {
  const reason = refusal(server);
  return {
    id,
    system: 'langgraph',
    label,
    location,
    identity: realPath(join(folder, main)),
    retention: 'Keeps everything.',
    latestRule: 'newest checkpoint id in the root graph',
    volatilePaths: INTERNAL_CHANNELS,
    indexed: { n: 1, of: 1 },
    capabilities: { restore: reason, fork: reason, edit: reason, delete: reason },
    notes: [`"${server}" writes its files every few seconds. What happened since then isn't here yet.`],
  };
}

/** Why nothing is changed here. */
function refusal(server: string): string {
  return `"${server}" keeps its threads in memory and overwrites this file, so a change here would be lost. Change the thread through the server: in Studio, or with POST /threads/{id}/state.`;
}

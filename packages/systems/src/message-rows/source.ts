import { InspectorError, type Changeable, type CheckpointSource } from '@checkpoint-inspector/core';
import { realPath, sqliteSource, type SqliteSourceOptions } from '@checkpoint-inspector/io';
import { listed } from '../kit/listed.ts';
import type { ThreadRules } from './contract.ts';
import { ONLY_THE_NEWEST, planThreads } from './plan.ts';
import { Threads, toRows, toTask } from './threads.ts';

const NO_EDIT = 'A conversation is cut or copied here; its messages are not edited.';
const DERIVED = 'The messages until then, each as its row has it, as one list.';

/** The conversations in a SQLite file. @throws InspectorError no_store | unreadable | busy */
export function openThreads(
  { id, label, location, path, now = () => new Date() }: SqliteSourceOptions,
  rules: ThreadRules,
): CheckpointSource & Changeable {
  const lists = listed<Threads>({
    store: id,
    system: rules.system,
    tasks: (threads) => threads.all().map(toTask),
    rows: toRows,
    more: (threads, task) => {
      const latest = threads.messages(task).findLast(({ problem }) => !problem);
      return latest?.error === undefined ? {} : { lastError: latest.error };
    },
  });
  return sqliteSource<Threads>(path, {
    read: (database) => new Threads(database, rules),
    info: (_threads, changeable) => {
      const change = changeable();
      return {
        id,
        system: rules.system,
        label,
        location,
        identity: realPath(path),
        latestRule: 'the newest message',
        volatilePaths: ['$.threadId'],
        indexed: { n: 1, of: 1 },
        capabilities: { restore: change, fork: change, edit: NO_EDIT, delete: change },
      };
    },
    ...lists,
    state: (threads, ref) => {
      const at = threads.place(ref);
      if (at === undefined) return undefined;
      const messages = threads.messages(ref.task).slice(0, at + 1);
      const problem = messages.at(-1)?.problem;
      if (problem) throw new InspectorError(problem.code, problem.message, { data: { ...ref } });
      return { text: rules.state(ref.task, messages), derived: DERIVED };
    },
    /** The content of the message. */
    raw: (threads, ref) => {
      const at = threads.place(ref);
      const stored = at === undefined ? undefined : threads.messages(ref.task)[at]?.stored;
      return stored && new Uint8Array(stored);
    },
    find: (threads, wanted) => rules.find(threads.database, wanted).map((task) => ({ task, id: wanted })),
    capability: (threads, ref) => {
      const at = threads.place(ref);
      const isOld = at !== undefined && at < threads.messages(ref.task).length - 1;
      return isOld ? { delete: ONLY_THE_NEWEST } : {};
    },
    plan: async (threads, request, { capabilities }) => {
      const can = capabilities[request.kind];
      if (can !== true) throw new InspectorError('unsupported', can);
      return planThreads({ store: id, path, threads, now: now() }, request);
    },
  });
}

import {
  InspectorError,
  pathOf,
  type CheckpointSource,
  type Match,
  type OpenOptions,
  type System,
  type Target,
} from '@checkpoint-inspector/core';
import { lookInto } from '@checkpoint-inspector/io';
import { openOpencode } from './read.ts';
import { layoutOf } from './tables.ts';

/**
 * The sessions of opencode: its database `opencode.db`, by its file or the data folder around it.
 * @example const [source] = await opencodeSystem.open(target, options);
 */
export const opencodeSystem: System = {
  id: 'opencode',
  label: 'opencode',
  detect: detectOpencode,
  open: async (target: Target, options: OpenOptions): Promise<CheckpointSource[]> => {
    const { path } = pathOf(target);
    if ((await detectOpencode(target)) === undefined) {
      throw new InspectorError('no_store', `${path} has no tables session, message and part with opencode's columns.`, {
        data: { path },
      });
    }
    const { label, location } = options;
    return [openOpencode({ id: options.nameStore(label), label, location, path })];
  },
};

/** Counting stops early: what a file is must be told at once, however large it is. */
const COUNTED = 10_000;

/** Opens the database read-only and looks at the columns of its tables. @throws InspectorError unreadable | busy | unsupported */
export async function detectOpencode(target: Target): Promise<Match | undefined> {
  if (target.kind !== 'path' || target.is !== 'file') return undefined;
  return lookInto(target.path, (database) => {
    if (layoutOf(database) === undefined) return undefined;
    const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM session LIMIT ${COUNTED})`;
    const { n = 0 } = database.prepare<{ n: number }>(sql).get() ?? {};
    const sessions = `${n}${n === COUNTED ? ' or more' : ''} ${n === 1 ? 'session' : 'sessions'}`;
    return { system: 'opencode', because: `${sessions} in the tables session, message and part`, confidence: 0.95 };
  });
}

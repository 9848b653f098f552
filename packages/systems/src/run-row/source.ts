import {
  InspectorError,
  type Changeable,
  type CheckpointSource,
  type Plan,
  type RowCapabilities,
  type StoreInfo,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { realPath, sqliteSource, type SqliteSourceOptions } from '@checkpoint-inspector/io';
import type { Place, RunRules } from './contract.ts';
import { more, toRow, toTask } from './listing.ts';
import type { PlanContext } from './plan.ts';
import { Runs } from './runs.ts';
import { listed } from '../kit/listed.ts';

export interface RunSourceRules extends RunRules {
  /** What there is to say of the store, besides what all such stores have in common. */
  readonly info: Pick<StoreInfo, 'volatilePaths' | 'notes'>;
  readonly capability: (runs: Runs, place: Place) => RowCapabilities;
  readonly plan: (context: PlanContext, request: SystemRequest) => Promise<Plan>;
}

/** The runs in one table of a SQLite file. @throws InspectorError no_store | unreadable | busy */
export function openRuns(
  { id, label, location, path, now = () => new Date() }: SqliteSourceOptions,
  rules: RunSourceRules,
): CheckpointSource & Changeable {
  const { system } = rules;
  const lists = listed<Runs>({
    store: id,
    system,
    tasks: (runs) => runs.tasks().map(toTask),
    rows: (runs, task) => runs.places(task).map(toRow),
    more,
  });
  return sqliteSource<Runs>(path, {
    read: (database) => new Runs(database, rules),
    info: (_runs, changeable) => {
      const change = changeable();
      return {
        id,
        system,
        label,
        location,
        identity: realPath(path),
        ...rules.info,
        latestRule: 'the row itself, which is overwritten at every step',
        sharing: 'A run is one row: its older checkpoints are read from it, and are deleted with it.',
        indexed: { n: 1, of: 1 },
        capabilities: { restore: change, fork: change, edit: change, delete: change },
      };
    },
    ...lists,
    state: (runs, ref) => {
      const place = runs.place(ref);
      const text = place && runs.text(place);
      if (text === undefined) return undefined;
      return place?.isRow ? { text } : { text, derived: rules.derived };
    },
    raw: (runs, ref) => {
      const place = runs.place(ref);
      return place && runs.bytes(place);
    },
    find: (runs, wanted) => {
      const task = wanted.slice(0, Math.max(0, wanted.lastIndexOf(':')));
      return runs.places(task).flatMap(({ ref }) => (ref.id === wanted ? [ref] : []));
    },
    capability: (runs, ref) => {
      const place = runs.place(ref);
      return place ? rules.capability(runs, place) : {};
    },
    plan: async (runs, request, { capabilities }) => {
      const can = capabilities[request.kind];
      if (can !== true) throw new InspectorError('unsupported', can);
      return rules.plan({ store: id, path, runs, now: now() }, request);
    },
  });
}

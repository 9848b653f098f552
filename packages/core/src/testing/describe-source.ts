import { describe } from 'vitest';
import type { CheckpointSource } from '../contract.ts';
import { checkpointCases } from './cases/checkpoints.ts';
import { nodeCases } from './cases/parts.ts';
import { infoCases } from './cases/info.ts';
import { lineageCases } from './cases/lineage.ts';
import { signalCases } from './cases/signal.ts';
import { stateCases } from './cases/state.ts';
import { taskCases } from './cases/tasks.ts';
import { type Opened, runCases, type Skip } from './run.ts';

/** What `describeSource` needs. */
export interface SourceSuite {
  /** A source that holds at least one checkpoint; opened again for each test. */
  readonly open: () => Promise<{ readonly source: CheckpointSource } & Opened>;
  readonly skip?: readonly Skip[];
}

export const sourceCases = [
  ...taskCases,
  ...checkpointCases,
  ...lineageCases,
  ...stateCases,
  ...nodeCases,
  ...infoCases,
  ...signalCases,
];

/**
 * Checks the reading half of the contract on whatever the source holds.
 * @example describeSource('kaizen', { open: async () => ({ source: await openFixture() }) });
 */
export function describeSource(name: string, { open, skip }: SourceSuite): void {
  describe(name, () => {
    runCases(
      sourceCases,
      async () => {
        const { source, ...opened } = await open();
        return { context: source, ...opened };
      },
      skip,
    );
  });
}

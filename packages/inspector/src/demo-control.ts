import { InspectorError } from '@checkpoint-inspector/core';
import type { StoreService } from './stores/types.ts';

/** The demo's files and agents, as the command line makes them. */
export interface DemoStage {
  /** What is opened, in this order. */
  readonly targets: readonly string[];
  startAgents(): Promise<void>;
  /** Tells the agents which scene is on. */
  enter(scene: number): Promise<void>;
  /** Stops the agents and puts every file back; the stores are closed. */
  restore(): Promise<void>;
}

export interface DemoControl {
  /** Every file, store and receipt as at the start; the agents begin again. */
  reset(): Promise<void>;
  enter(scene: number): Promise<void>;
}

export interface DemoControlDeps {
  readonly stage: DemoStage;
  readonly stores: StoreService;
  readonly journal: { clear(): void };
  /** Default true; false leaves the files as they were written. */
  readonly agents?: boolean;
}

/**
 * Resets the demo while the page is open: stores keep their ids, readers see the first state again.
 * @example const demo = createDemoControl({ stage, stores, journal }); await demo.reset();
 */
export function createDemoControl({ stage, stores, journal, agents = true }: DemoControlDeps): DemoControl {
  let running: Promise<void> | undefined;

  const reset = async (): Promise<void> => {
    await closeTargets(stage.targets, stores);
    try {
      await stage.restore();
    } finally {
      for (const target of stage.targets) await stores.open(target);
    }
    // After the stores are open: what the story begins with is kept by their places.
    journal.clear();
    for (const { id } of stores.list()) stores.touch(id);
    if (agents) await stage.startAgents();
  };

  return {
    reset() {
      running ??= reset().finally(() => (running = undefined));
      return running;
    },
    async enter(scene) {
      await running;
      await stage.enter(scene);
    },
  };
}

/** A store that somebody closed in the meantime is opened first: opening tells its ids. */
async function closeTargets(targets: readonly string[], stores: StoreService): Promise<void> {
  for (const target of targets) {
    for (const { id } of await stores.open(target)) await stores.close(id).catch(ignoreGone);
  }
}

function ignoreGone(error: unknown): void {
  if (InspectorError.from(error).code !== 'not_found') throw error;
}

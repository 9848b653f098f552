import { CheckpointManager } from '@checkpoint-inspector/systems/rlm-act';
import { ago } from './clock.ts';

interface Phase {
  readonly name: string;
  readonly minutesAgo: number;
  readonly outcome: 'complete' | 'failed';
  readonly errors?: readonly string[];
}

const PHASES: readonly Phase[] = [
  { name: 'research', minutesAgo: 190, outcome: 'complete' },
  { name: 'decomposition', minutesAgo: 176, outcome: 'complete' },
  { name: 'tdd_planning', minutesAgo: 151, outcome: 'complete' },
  {
    name: 'implementation',
    minutesAgo: 122,
    outcome: 'failed',
    errors: ['3 tests failed: test_rounding, test_refund, test_vat'],
  },
];

/** A project folder whose pipeline stopped in its last phase. */
export async function seedRlmAct(project: string, now: Date): Promise<void> {
  let clock = now;
  const manager = new CheckpointManager(project, { now: () => clock });
  const results: Record<string, unknown> = {};
  const started = ago(now, 200 * 60);
  for (const [at, phase] of PHASES.entries()) {
    clock = new Date(now.getTime() - phase.minutesAgo * 60_000);
    results[phase.name] = {
      phase_type: phase.name,
      status: phase.outcome,
      artifacts: [`plans/0${at + 1}-${phase.name}.md`],
      errors: phase.errors ?? [],
      completed_at: clock.toISOString(),
      duration_seconds: 300 + at * 210,
    };
    const state = {
      project_path: 'shop',
      autonomy_mode: 'batch',
      current_phase: phase.name,
      phase_results: { ...results },
      started_at: started,
    };
    await manager.writeCheckpoint(state, `${phase.name}-${phase.outcome}`, phase.errors ?? []);
  }
}

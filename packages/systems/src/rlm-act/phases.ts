/**
 * The phases in the order in which the pipeline runs them.
 * @example `${PHASES[0]}-complete` // 'research-complete'
 */
export const PHASES: readonly string[] = [
  'research',
  'decomposition',
  'tdd_planning',
  'multi_doc',
  'beads_sync',
  'implementation',
];

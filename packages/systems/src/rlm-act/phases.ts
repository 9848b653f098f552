/** The phases in the order in which the pipeline runs them. */
export const PHASES: readonly string[] = [
  'research',
  'decomposition',
  'tdd_planning',
  'multi_doc',
  'beads_sync',
  'implementation',
];

/** Routes that show much, and how much of it may be drawn. */
export const QUICK_ROUTES = [
  {
    name: 'the tree of 2,000 checkpoints',
    path: '/t/agents-db/soak-2000/tree',
    selector: ':is(.tree-node, .lanes-row)',
    mostElements: 2_000,
  },
  {
    name: 'the history of 2,000 checkpoints',
    path: '/t/agents-db/soak-2000',
    selector: '[data-testid="history-row"]',
    mostElements: 3_000,
  },
  {
    name: 'the list of tasks',
    path: '/tasks',
    selector: '[data-testid="task-row"]',
    mostElements: 2_000,
  },
] as const;

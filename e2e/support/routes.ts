import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { COMPETITOR } from './pages.ts';

/** A page of the demo, and what is on it once it is drawn. */
export interface Route {
  readonly name: string;
  readonly path: string;
  readonly drawn: (page: Page) => Promise<void>;
}

const at = (id: string): string => encodeURIComponent(`research-db/competitor-revenue/${id}`);

const tab = (name: string): Route => ({
  name: `workbench, ${name}`,
  path: `${COMPETITOR}?cp=ckpt-07&view=${name}`,
  drawn: async (page) => {
    await expect(page.getByRole('tab', { name: new RegExp(`^${name}`, 'i') })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('tabpanel')).toContainText('revenue');
  },
});

const shows = (name: string, path: string, testId: string): Route => ({
  name,
  path,
  drawn: async (page) => expect(page.getByTestId(testId).first()).toBeVisible(),
});

/** Every route of the app, each on demo data. */
export const ROUTES: readonly Route[] = [
  shows('tasks', '/tasks', 'task-row'),
  tab('changes'),
  tab('state'),
  tab('chat'),
  tab('plan'),
  tab('raw'),
  tab('meta'),
  shows('tree', '/t/kaizen-checkpoints/prod_agent/tree', 'tree-summary'),
  shows('compare', `/compare?a=${at('ckpt-06')}&b=${at('ckpt-07')}`, 'split-row'),
  shows('compare runs', `/compare/runs?a=${at('ckpt-06')}&b=${at('ckpt-07')}`, 'run-ends'),
  shows('errors', '/errors', 'error-group'),
  shows('inbox', '/inbox', 'waiting'),
  shows('usage', '/usage', 'usage-row'),
  shows('search', '/search?q=4200', 'search-hit'),
  shows('edit', '/t/research-db/competitor-revenue/edit?cp=ckpt-06', 'edit-tree'),
  shows('edit, text', '/t/research-db/competitor-revenue/edit?cp=ckpt-06&mode=text', 'edit-text'),
  shows('activity', '/activity', 'activity'),
  shows('trash', '/trash', 'trash'),
  shows('storage', '/storage', 'storage-task'),
  shows('stores', '/stores', 'store'),
  shows('settings', '/settings', 'settings'),
  shows('demo', '/demo', 'demo'),
  shows('demo, MCP', '/demo/ask', 'ask-answer'),
];

export const THEMES = ['light', 'dark'] as const;

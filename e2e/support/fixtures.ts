import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type Page, expect, test as base } from '@playwright/test';
import { type Inspector, type StartOptions, startInspector } from './inspector.ts';

interface TestFixtures {
  /** Console errors that a test provokes on purpose. */
  allowedErrors: RegExp;
  /** Watches a context for console errors and foreign requests; the test's own context is watched from the start. */
  watch: (context: BrowserContext) => void;
  /** A folder of the test's own. */
  folder: string;
  /** Starts the command; it is stopped once the pages are closed. */
  start: (args: readonly string[], options?: StartOptions) => Promise<Inspector>;
}

interface WorkerFixtures {
  /** Demo stores for tests that only look; shared by the specs of a worker. */
  demo: Inspector;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  allowedErrors: [/^$/, { option: true }],
  watch: [
    async ({ context, allowedErrors }, use) => {
      const errors: string[] = [];
      const foreign: string[] = [];
      const watch = (watched: BrowserContext): void => {
        watched.on(
          'console',
          (message) => message.type() === 'error' && errors.push(`${message.text()} (${message.location().url})`),
        );
        watched.on('weberror', (thrown) => errors.push(String(thrown.error())));
        watched.on('request', (request) => isForeign(request.url()) && foreign.push(request.url()));
      };
      watch(context);
      await use(watch);
      // A request that a test answers itself may be under way when the test ends.
      await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
      expect(foreign, 'requests that leave the machine').toEqual([]);
      expect(
        errors.filter((error) => !allowedErrors.test(error)),
        'console errors',
      ).toEqual([]);
    },
    { auto: true },
  ],
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'inspector-e2e-'));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
  start: async ({ context, folder }, use) => {
    const started: Inspector[] = [];
    await use(async (args, options = {}) => {
      const inspector = await startInspector(args, { state: join(folder, 'journal'), ...options });
      started.push(inspector);
      return inspector;
    });
    await Promise.all(context.pages().map((page) => page.close()));
    await Promise.all(started.map((inspector) => inspector.stop()));
  },
  demo: [
    async ({}, use) => {
      const inspector = await startInspector(['--demo']);
      await use(inspector);
      await inspector.stop();
    },
    { scope: 'worker' },
  ],
});

export { expect };

const isForeign = (url: string): boolean => {
  const { hostname, protocol } = new URL(url);
  return !['data:', 'blob:', 'file:'].includes(protocol) && hostname !== '127.0.0.1';
};

/** Opens a page of the inspector with its token, as the printed link does. */
export async function openAt(page: Page, inspector: Inspector, path = '/'): Promise<void> {
  await page.goto(`${inspector.origin}${path}#token=${inspector.token}`);
}

/** Continues to another page of the app that is open, as a link does: without loading it again. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState({}, '', to), path);
}

import { expect, it } from 'vitest';
import { testApp } from './testing/app.ts';

/** Elsewhere the router goes through a tree of all routes for each request, which takes as long as all guards. */
it('has routes that one expression tells apart', async () => {
  const { app, ask } = await testApp();
  expect((await ask('/api/status')).status).toBe(200);
  expect(app.router.name).toBe('SmartRouter + RegExpRouter');
});

import { createRoute, z } from '@hono/zod-openapi';
import { InspectorError } from '@checkpoint-inspector/core';
import type { DemoControl } from '@checkpoint-inspector/inspector';
import type { Services } from '../services.ts';
import { assertWritable, body, router } from './router.ts';

const LAST_SCENE = 7;

const reset = createRoute({
  method: 'post',
  path: '/demo/reset',
  summary: 'Reset the demo stores to their original bytes',
  responses: {
    204: { description: "The demo stores are back to their original bytes, and the demo's journal is empty" },
  },
});

const scene = createRoute({
  method: 'post',
  path: '/demo/scene',
  summary: 'Tell the demo agents which scene is showing',
  request: { body: body(z.object({ scene: z.number().int().min(1).max(LAST_SCENE) })) },
  responses: { 204: { description: 'The agents have prepared the scene' } },
});

export function demoRoutes({ demo, status }: Pick<Services, 'demo' | 'status'>) {
  const stage = (): DemoControl => {
    if (demo === undefined)
      throw new InspectorError('unsupported', 'This is not a demo.', { remedy: 'Start with --demo.' });
    assertWritable(status);
    return demo;
  };
  return router()
    .openapi(reset, async (c) => {
      await stage().reset();
      return c.body(null, 204);
    })
    .openapi(scene, async (c) => {
      await stage().enter(c.req.valid('json').scene);
      return c.body(null, 204);
    });
}

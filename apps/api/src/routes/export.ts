import { createRoute, z } from '@hono/zod-openapi';
import { bundle, gather, previewExport, report } from '@checkpoint-inspector/inspector';
import type { Services } from '../services.ts';
import { exportPreviewSchema, exportRequestSchema, exportTargetSchema } from '../wire/index.ts';
import { body, json, router, sourceFor } from './router.ts';

const preview = createRoute({
  method: 'post',
  path: '/export/preview',
  summary: 'What an export would contain, and which secrets it would mask; creates nothing',
  request: { body: body(exportTargetSchema) },
  responses: { 200: json(exportPreviewSchema, 'The preview') },
});

const make = createRoute({
  method: 'post',
  path: '/export',
  summary: 'Export a task as a bundle (JSON) or as an offline report (HTML); known kinds of secrets are masked',
  request: { body: body(exportRequestSchema) },
  responses: {
    200: {
      description: 'The file',
      content: { 'application/json': { schema: z.string() }, 'text/html': { schema: z.string() } },
    },
  },
});

export function exportRoutes({ stores }: Pick<Services, 'stores'>) {
  return router()
    .openapi(preview, async (c) => {
      const { store, ...options } = c.req.valid('json');
      return c.json(await previewExport(await gather(sourceFor(c, stores, store), options)), 200);
    })
    .openapi(make, async (c) => {
      const { store, format, ...options } = c.req.valid('json');
      const subject = await gather(sourceFor(c, stores, store), options);
      if (format === 'html') {
        return c.body(await report(subject, options), 200, {
          'content-type': 'text/html; charset=utf-8',
          'content-disposition': 'attachment; filename="report.html"',
        });
      }
      return c.body(streamOf(bundle(subject, options)), 200, {
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': 'attachment; filename="bundle.json"',
      });
    });
}

/** Read as fast as it is sent: one checkpoint at a time is in memory. */
function streamOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

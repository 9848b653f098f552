import { createRoute, z } from '@hono/zod-openapi';
import { InspectorError, type CheckpointMeta } from '@checkpoint-inspector/core';
import {
  assertBundle,
  bundle,
  copyStore,
  defaultRegistry,
  gather,
  openCopyTarget,
  previewExport,
  readPage,
  report,
  viewer,
  type BranchQuery,
  type Subject,
} from '@checkpoint-inspector/inspector';
import type { Context } from 'hono';
import type { Services } from '../services.ts';
import {
  copyReportSchema,
  exportPreviewSchema,
  exportRequestSchema,
  exportTargetSchema,
  importRequestSchema,
} from '../wire/index.ts';
import { runAt } from './compare.ts';
import { assertWritable, body, json, router, sourceFor } from './router.ts';

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
  summary:
    'Export tasks as a bundle (JSON) or as the page itself in one file (HTML), or one as a report (HTML); known kinds of secrets are masked',
  request: { body: body(exportRequestSchema) },
  responses: {
    200: {
      description: 'The file',
      content: { 'application/json': { schema: z.string() }, 'text/html': { schema: z.string() } },
    },
  },
});

const copyIn = createRoute({
  method: 'post',
  path: '/import',
  summary: 'Copy an open bundle into a store, read the copy back and compare; overwrites nothing',
  request: { body: body(importRequestSchema) },
  responses: { 200: json(copyReportSchema, 'What was copied') },
});

type Asked = z.output<typeof exportTargetSchema>;

type Needed = Pick<Services, 'stores' | 'annotations' | 'explanations' | 'largeStates' | 'masking' | 'status' | 'page'>;

export function exportRoutes({ stores, annotations, explanations, largeStates, masking, status, page }: Needed) {
  const subjectsOf = async (c: Context, { store, task, checkpoints }: Asked): Promise<Subject[]> => {
    const source = sourceFor(c, stores, store);
    const tasks = typeof task === 'string' ? [task] : [...new Set(task)];
    if (tasks.length > 1 && checkpoints !== undefined)
      throw new InspectorError('invalid_input', '"checkpoints" takes one task.');
    const subjects: Subject[] = [];
    for (const one of tasks) {
      const asked = { task: one, annotations: annotations.ofTask(store, one), ...(checkpoints && { checkpoints }) };
      subjects.push(await gather(source, asked));
    }
    return subjects;
  };
  return router()
    .openapi(preview, async (c) =>
      c.json(await previewExport(await subjectsOf(c, c.req.valid('json')), masking.masker()), 200),
    )
    .openapi(make, async (c) => {
      const { format, reveal = false, compareWith, ...wanted } = c.req.valid('json');
      const subjects = await subjectsOf(c, wanted);
      if (format === 'html') {
        const [subject, ...others] = subjects;
        if (subject === undefined || others.length > 0)
          throw new InspectorError('invalid_input', 'A report shows one task.');
        const { source, task } = subject;
        const asked = {
          task: task.id,
          reveal,
          masking,
          explain: (query: BranchQuery) => explanations.of(wanted.store, query, { signal: c.req.raw.signal }),
          compare: (before: CheckpointMeta, after: CheckpointMeta) =>
            largeStates.change(before, after, source.info.volatilePaths),
          ...(compareWith === undefined ? {} : { compareWith: runAt(c, stores, compareWith) }),
        };
        return c.body(await report(subject, asked), 200, {
          'content-type': 'text/html; charset=utf-8',
          'content-disposition': 'attachment; filename="report.html"',
        });
      }
      const asked = { reveal, masking, version: status.version };
      if (format === 'viewer') {
        if (page === undefined) throw new InspectorError('unsupported', "The page isn't here to be put into a file.");
        return c.body(streamOf(viewer(subjects, await readPage(page), asked)), 200, {
          'content-type': 'text/html; charset=utf-8',
          'content-disposition': 'attachment; filename="viewer.html"',
        });
      }
      return c.body(streamOf(bundle(subjects, asked)), 200, {
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': 'attachment; filename="bundle.json"',
      });
    })
    .openapi(copyIn, async (c) => {
      assertWritable(status);
      const { store, to, task, dryRun = false } = c.req.valid('json');
      const source = stores.source(store);
      const as = stores.origin(store)?.as;
      assertBundle(as, source);
      const target = await openCopyTarget(to, { source, as }, defaultRegistry());
      try {
        return c.json(await copyStore(source, target, { task, dryRun, keepWords: annotations.keep }), 200);
      } finally {
        await target.close();
      }
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

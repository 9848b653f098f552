import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { diffJson, parseAddress, storeId, type Address } from '@checkpoint-inspector/core';
import type { Services } from '../services.ts';
import { NOT_ON_LINE, sizedOf, resolveRef, rowOf, stateOf } from '@checkpoint-inspector/inspector';
import { diffAnswerSchema, stepsAnswerSchema } from '../wire/index.ts';
import { json, jsonText, reads, router, sourceFor } from './router.ts';

const query = z.object({
  a: z.string().openapi({ description: 'Address: store/task/id or store/task/namespace/id' }),
  b: z.string(),
  ignore: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .openapi({
      description: "Paths to ignore, `$.a.**` for all below `$.a`; absent: the stores' volatile paths; empty: none",
    }),
});

const diff = reads(
  '/diff',
  'Differences between two checkpoints',
  json(diffAnswerSchema, 'The differences, and the rules that were applied'),
  { query },
);

const steps = reads(
  '/diff/steps',
  'For two checkpoints of one branch: which checkpoints in between made each difference',
  json(stepsAnswerSchema, 'The checkpoints in between, and for each difference those that made it'),
  { query },
);

export function diffRoutes({ stores, largeStates, summaries }: Services) {
  const read = async (c: Context, address: Address) => {
    const { store, task, namespace, id } = address;
    const source = sourceFor(c, stores, storeId(store));
    const ref = await resolveRef(source, id, { task, ns: namespace ?? '' });
    return { source, ref, sized: sizedOf(await rowOf(source, ref)) };
  };
  const pairOf = async (c: Context, asked: z.infer<typeof query>) => {
    const [a, b] = await Promise.all([read(c, parseAddress(asked.a)), read(c, parseAddress(asked.b))]);
    const defaults = new Set([...a.source.info.volatilePaths, ...b.source.info.volatilePaths]);
    const rules = asked.ignore === undefined ? [...defaults] : [asked.ignore].flat();
    return { a, b, ignoreRules: rules.filter((rule) => rule !== '') };
  };
  return router()
    .openapi(diff, async (c) => {
      const { a, b, ignoreRules } = await pairOf(c, c.req.valid('query'));
      const known = await largeStates.storedDiff(a.sized, b.sized, ignoreRules, c.req.raw.signal);
      if (known) return jsonText(c, known);
      if (largeStates.areLarge([a.sized, b.sized]))
        return jsonText(c, await largeStates.diff(a.sized, b.sized, ignoreRules, c.req.raw.signal));
      const [before, after] = await Promise.all([stateOf(a.source, a.ref), stateOf(b.source, b.ref)]);
      const found = diffJson(before.text, after.text, { ignore: ignoreRules });
      const roles = await summaries.rolesOf(b.source, b.ref.task);
      return c.json({ ...found, items: roles.marked(found.items), ignoreRules }, 200);
    })
    .openapi(steps, async (c) => {
      const { a, b, ignoreRules } = await pairOf(c, c.req.valid('query'));
      if (a.source.info.id !== b.source.info.id) return c.json(NOT_ON_LINE, 200);
      return c.json(await largeStates.steps(b.source, a.ref, b.ref, ignoreRules, c.req.raw.signal), 200);
    });
}

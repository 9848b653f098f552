import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { diffJson, parseAddress, storeId, type Address } from '@checkpoint-inspector/core';
import type { Services } from '../services.ts';
import { sizedOf, resolveRef, rowOf, stateOf } from '@checkpoint-inspector/inspector';
import { diffAnswerSchema } from '../wire/index.ts';
import { json, jsonText, router, sourceFor } from './router.ts';

const diff = createRoute({
  method: 'get',
  path: '/diff',
  summary: 'Differences between two checkpoints',
  request: {
    query: z.object({
      a: z.string().openapi({ description: 'Address: store/task/id or store/task/namespace/id' }),
      b: z.string(),
      ignore: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .openapi({ description: "Paths to leave out; absent: the stores' volatile paths; empty: none" }),
    }),
  },
  responses: { 200: json(diffAnswerSchema, 'Differences, and the rules that were applied') },
});

export function diffRoutes({ stores, largeStates }: Services) {
  const read = async (c: Context, address: Address) => {
    const { store, task, namespace, id } = address;
    const source = sourceFor(c, stores, storeId(store));
    const ref = await resolveRef(source, id, { task, ns: namespace ?? '' });
    return { source, ref, sized: sizedOf(await rowOf(source, ref)) };
  };
  return router().openapi(diff, async (c) => {
    const query = c.req.valid('query');
    const [a, b] = await Promise.all([read(c, parseAddress(query.a)), read(c, parseAddress(query.b))]);
    const defaults = new Set([...a.source.info.volatilePaths, ...b.source.info.volatilePaths]);
    const asked = query.ignore === undefined ? [...defaults] : [query.ignore].flat();
    const ignoreRules = asked.filter((rule) => rule !== '');
    if (largeStates.isLarge(a.sized) || largeStates.isLarge(b.sized))
      return jsonText(c, await largeStates.diff(a.sized, b.sized, ignoreRules, c.req.raw.signal));
    const [before, after] = await Promise.all([stateOf(a.source, a.ref), stateOf(b.source, b.ref)]);
    return c.json({ ...diffJson(before.text, after.text, { ignore: ignoreRules }), ignoreRules }, 200);
  });
}

import { createRoute, z } from '@hono/zod-openapi';
import { diffJson, parseAddress, storeId } from '@checkpoint-inspector/core';
import type { Address } from '@checkpoint-inspector/core';
import type { Services } from '../services.ts';
import { resolveRef, stateOf } from '../stores/lookup.ts';
import { diffAnswerSchema } from '../wire/index.ts';
import { json, router } from './router.ts';

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

export function diffRoutes({ stores }: Services) {
  const read = async (address: Address) => {
    const { store, task, namespace, id } = address;
    const source = stores.source(storeId(store));
    const ref = await resolveRef(source, id, { task, ns: namespace ?? '' });
    return { source, state: await stateOf(source, ref) };
  };
  return router().openapi(diff, async (c) => {
    const query = c.req.valid('query');
    const [a, b] = await Promise.all([read(parseAddress(query.a)), read(parseAddress(query.b))]);
    const defaults = new Set([...a.source.info.volatilePaths, ...b.source.info.volatilePaths]);
    const asked = query.ignore === undefined ? [...defaults] : [query.ignore].flat();
    const ignoreRules = asked.filter((rule) => rule !== '');
    return c.json({ ...diffJson(a.state.text, b.state.text, { ignore: ignoreRules }), ignoreRules }, 200);
  });
}

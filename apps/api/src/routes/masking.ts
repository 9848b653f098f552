/** What is masked beside the known kinds: for every door, kept with the journal. */
import { createRoute } from '@hono/zod-openapi';
import type { Services } from '../services.ts';
import { maskingSchema, maskRulesSchema } from '../wire/index.ts';
import { assertWritable, body, json, reads, router } from './router.ts';

const read = reads(
  '/masking',
  "The user's own rules for masking, and the key of the names that it makes",
  json(maskingSchema, 'Rules and key'),
  {},
);

const change = createRoute({
  method: 'put',
  path: '/masking',
  summary: "Replace the user's own rules for masking",
  request: { body: body(maskRulesSchema) },
  responses: { 200: json(maskingSchema, 'Rules and key') },
});

export function maskingRoutes({ masking, status }: Pick<Services, 'masking' | 'status'>) {
  const answer = () => {
    const { hide = [], safe = [] } = masking.rules();
    return { hide: [...hide], safe: [...safe], key: masking.key() };
  };
  return router()
    .openapi(read, (c) => c.json(answer(), 200))
    .openapi(change, (c) => {
      assertWritable(status);
      masking.change(c.req.valid('json'));
      return c.json(answer(), 200);
    });
}

import type { OpenAPIHono } from '@hono/zod-openapi';
import { errorSchema } from './wire/index.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The OpenAPI document of the routes as JSON text; every operation also answers errors of one form. */
export function openApiText(
  routes: Pick<OpenAPIHono, 'openAPIRegistry' | 'getOpenAPI31Document'>,
  version: string,
): string {
  routes.openAPIRegistry.register('Error', errorSchema);
  const document = routes.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Checkpoint Inspector',
      version,
      description: 'Lists are { items, cursor? }; errors are { error: { code, message, remedy, data? } }.',
    },
    servers: [{ url: '/api' }],
    security: [{ token: [] }],
  });
  const failure = {
    description: 'Any failure',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
  for (const path of Object.values(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = path[method];
      if (operation) operation.responses = { ...operation.responses, default: failure };
    }
  }
  const components = { ...document.components, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } };
  return JSON.stringify({ ...document, components });
}

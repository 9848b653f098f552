import type { OpenAPIHono } from '@hono/zod-openapi';
import { errorSchema } from '../wire/index.ts';
import { bodyOf } from './bodies.ts';
import { namesOf, TAGS } from './names.ts';

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>;
type Routes = Pick<OpenAPIHono, 'openAPIRegistry' | 'getOpenAPI31Document'>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const FAILURE = {
  description: 'Any failure',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

/** The OpenAPI document of the routes; every operation has a name and a tag, and answers errors of one form. */
export function openApiDocument(routes: Routes, version: string): Document {
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
  const used = new Set<string>();
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      const { tags, operationId } = namesOf(method, path);
      for (const tag of tags) used.add(tag);
      const responses = Object.entries(operation.responses ?? {}).map(([status, answer]): [string, object] => [
        status,
        { ...answer, ...bodyOf(method, path, status) },
      ]);
      Object.assign(operation, {
        tags,
        operationId,
        responses: { ...Object.fromEntries(responses), default: FAILURE },
      });
    }
  }
  const components = {
    ...document.components,
    securitySchemes: { token: { type: 'http' as const, scheme: 'bearer' } },
  };
  const tags = TAGS.filter(([name]) => used.has(name)).map(([name, description]) => ({ name, description }));
  return { ...document, tags, components };
}

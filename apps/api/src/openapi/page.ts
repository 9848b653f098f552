/** The OpenAPI document as one plain page: no script, nothing from elsewhere. */
import { z } from '@hono/zod-openapi';
import { escapeHtml } from '@checkpoint-inspector/inspector';
import { DOCS_PATH } from '../guards/paths.ts';

const schemaSchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  $ref: z.string().optional(),
  description: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
});
const contentSchema = z.record(z.string(), z.looseObject({ schema: z.unknown().optional() })).optional();
const operationSchema = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()),
  summary: z.string().optional(),
  parameters: z
    .array(z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().optional(), schema: z.unknown() }))
    .optional(),
  requestBody: z.looseObject({ content: contentSchema }).optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string(), content: contentSchema })),
});
const documentSchema = z.looseObject({
  info: z.looseObject({ title: z.string(), version: z.string(), description: z.string().optional() }),
  tags: z.array(z.looseObject({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

type Operation = z.infer<typeof operationSchema> & { readonly method: string; readonly path: string };

export const DOCS_STYLE_PATH = `${DOCS_PATH}.css`;

/** @param document as it is served at /api/openapi.json */
export function docsPage(document: unknown): string {
  const { info, tags, paths, components } = documentSchema.parse(document);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Operation => ({ ...operation, method, path })),
  );
  const groups = tags.map((tag) => ({ ...tag, own: operations.filter((one) => one.tags.includes(tag.name)) }));
  const schemas = Object.entries(components.schemas).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const nav = [...groups.map(({ name }) => name), 'Schemas'].map(
    (name) => `<a href="#${anchor(name)}">${escapeHtml(name)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)} API</title>
<link rel="stylesheet" href="${DOCS_STYLE_PATH}">
</head>
<body>
<header>
<h1>${escapeHtml(info.title)} API <small>${escapeHtml(info.version)}</small></h1>
<p>Every path starts with <code>/api</code>. Every request needs the header <code>Authorization: Bearer &lt;token&gt;</code>, using the token from the link that was printed at the start. ${escapeHtml(info.description ?? '')}</p>
<p>As a file for tools: <code>/api/openapi.json</code> (OpenAPI 3.1, with the token).</p>
<nav aria-label="Sections">${nav.join(' ')}</nav>
</header>
<main>
${groups.map(groupOf).join('\n')}
<section aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => schemaSection(name, schema)).join('\n')}
</section>
</main>
</body>
</html>
`;
}

function groupOf({ name, description, own }: { name: string; description: string; own: readonly Operation[] }): string {
  const id = anchor(name);
  return `<section aria-labelledby="${id}">
<h2 id="${id}">${escapeHtml(name)}</h2>
<p class="muted">${escapeHtml(description)}</p>
${own.map(operationOf).join('\n')}
</section>`;
}

function operationOf(operation: Operation): string {
  const { method, path, operationId, summary = '', parameters = [], requestBody, responses } = operation;
  const given = parameters.map(({ name, in: where, required, schema }) => [
    `<code>${escapeHtml(name)}</code>`,
    escapeHtml(where) + (required === true ? ', required' : ''),
    typeOf(schema) + noteOf(schema),
  ]);
  const body = contentRows('body', requestBody?.content);
  const answers = Object.entries(responses).map(([status, { description, content }]) => [
    `<code>${escapeHtml(status)}</code>`,
    escapeHtml(description),
    contentRows('', content)
      .map((row) => row.at(-1))
      .join('<br>'),
  ]);
  return `<article id="${escapeHtml(operationId)}">
<h3><span class="method ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></h3>
<p>${escapeHtml(summary)}. <span class="muted">${escapeHtml(operationId)}</span></p>
${table('Sent', [...given, ...body])}
${table('Answered', answers)}
</article>`;
}

function contentRows(label: string, content: z.infer<typeof contentSchema>): string[][] {
  return Object.entries(content ?? {}).map(([type, { schema }]) => [
    `<code>${escapeHtml(label)}</code>`,
    escapeHtml(type),
    type === 'application/json' ? typeOf(schema) : `${escapeHtml(type)}: ${typeOf(schema)}`,
  ]);
}

function schemaSection(name: string, schema: unknown): string {
  const { properties, required = [], description } = read(schema);
  const rows = Object.entries(properties ?? {}).map(([key, value]) => [
    `<code>${escapeHtml(key)}</code>`,
    required.includes(key) ? '' : 'may be absent',
    typeOf(value) + noteOf(value),
  ]);
  const whole = properties === undefined ? `<p>${typeOf(schema)}</p>` : table('Members', rows);
  return `<article id="${anchor(`schema ${name}`)}">
<h3><code>${escapeHtml(name)}</code></h3>
${description === undefined ? '' : `<p>${escapeHtml(description)}</p>`}
${whole}
</article>`;
}

function table(caption: string, rows: readonly (readonly (string | undefined)[])[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell ?? ''}</td>`).join('')}</tr>`);
  return `<div class="wide"><table><caption>${caption}</caption><tbody>${lines.join('')}</tbody></table></div>`;
}

/** A type in one line, as markup; named schemas are links. */
function typeOf(schema: unknown): string {
  const {
    $ref,
    anyOf,
    oneOf,
    allOf,
    enum: values,
    const: only,
    items,
    properties,
    required = [],
    ...rest
  } = read(schema);
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return `<a href="#${anchor(`schema ${name}`)}">${escapeHtml(name)}</a>`;
  }
  const several = anyOf ?? oneOf;
  if (several !== undefined) return several.map(typeOf).join(' or ');
  if (allOf !== undefined) return allOf.map(typeOf).join(' and ');
  if (values !== undefined)
    return values.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' or ');
  if (only !== undefined) return `<code>${escapeHtml(JSON.stringify(only))}</code>`;
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (properties !== undefined) {
    const members = Object.entries(properties).map(
      ([key, value]) => `${escapeHtml(key)}${required.includes(key) ? '' : '?'}: ${typeOf(value)}`,
    );
    return `{ ${members.join(', ')} }`;
  }
  return escapeHtml([rest.type ?? rest.description ?? 'any JSON value'].flat().join(' or '));
}

function noteOf(schema: unknown): string {
  const { description, type } = read(schema);
  return description === undefined || type === undefined
    ? ''
    : ` <span class="muted">${escapeHtml(description)}</span>`;
}

const read = (schema: unknown): z.infer<typeof schemaSchema> => schemaSchema.parse(schema ?? {});

const anchor = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** The page's own style: it uses nothing from elsewhere, in light and dark. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --bg: light-dark(#fff, #0d1117); --fg: light-dark(#1a1d23, #e3e8ef);
  --muted: light-dark(#5b626d, #97a1ae); --line: light-dark(#e5e7ea, #212933); --side: light-dark(#f8f8f9, #10151c);
  --link: light-dark(#1a56db, #7aa5f5); --write: light-dark(#7a2600, #e58a45); --remove: light-dark(#7c1c0e, #f0787e); }
* { box-sizing: border-box; }
html { scroll-padding-top: 16px; }
body { margin: 0 auto; max-width: 960px; padding: 32px 24px 64px; background: var(--bg); color: var(--fg);
  font: 15px/23px -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; }
h1 { font-size: 26px; line-height: 34px; margin: 0 0 8px; }
h1 small { font-size: 15px; font-weight: 400; color: var(--muted); }
h2 { font-size: 20px; line-height: 28px; margin: 48px 0 4px; }
h3 { font-size: 15px; line-height: 22px; margin: 0; overflow-wrap: anywhere; }
p { margin: 4px 0 8px; }
a { color: var(--link); }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code { font: 13px/20px ui-monospace, Menlo, Consolas, monospace; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-top: 16px; padding: 12px 0; border-block: 1px solid var(--line); }
article { margin: 16px 0; padding: 12px 16px; background: var(--side); border: 1px solid var(--line); border-radius: 8px; }
article:target { border-color: var(--link); }
.muted, caption { color: var(--muted); }
.method { display: inline-block; min-width: 52px; font: 600 12px/20px ui-monospace, Menlo, Consolas, monospace; color: var(--link); }
.method.post, .method.put, .method.patch { color: var(--write); }
.method.delete { color: var(--remove); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin-top: 8px; font-size: 13px; line-height: 20px; }
caption { text-align: left; font-size: 12px; }
td { padding: 4px 12px 4px 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
td:first-child { width: 22%; } td:nth-child(2) { width: 30%; }
`;

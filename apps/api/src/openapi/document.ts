import type { OpenAPIHono } from '@hono/zod-openapi';
import { errorSchema } from '../wire/index.ts';

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>;
type Routes = Pick<OpenAPIHono, 'openAPIRegistry' | 'getOpenAPI31Document'>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const failure = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

const FAILURES = {
  '4XX': failure('The request is refused: `code` says why, `remedy` what to do'),
  '5XX': failure('The server, the disk or a store failed'),
};

/** What each operation is called, and under which heading it is listed. */
const NAMES: Readonly<Record<string, readonly [tag: string, operationId: string]>> = {
  'get /status': ['Server', 'getStatus'],
  'get /metrics': ['Server', 'getMetrics'],
  'get /masking': ['Server', 'getMasking'],
  'put /masking': ['Server', 'setMasking'],
  'get /events': ['Server', 'streamEvents'],
  'post /session': ['Server', 'exchangeCode'],
  'post /demo/reset': ['Server', 'resetDemo'],
  'post /demo/scene': ['Server', 'showDemoScene'],
  'get /stores': ['Stores', 'listStores'],
  'post /stores': ['Stores', 'openStore'],
  'post /bundles': ['Stores', 'openBundle'],
  'post /home': ['Stores', 'openHome'],
  'post /stores/{store}/keep-index': ['Stores', 'keepIndex'],
  'delete /stores/{store}': ['Stores', 'closeStore'],
  'post /stores/{store}/unlock': ['Stores', 'unlockStore'],
  'get /storage': ['Stores', 'getStorage'],
  'get /tasks': ['Tasks', 'listTasks'],
  'get /stores/{store}/tasks/{task}': ['Tasks', 'getTask'],
  'get /stores/{store}/tasks/{task}/tree': ['Tasks', 'getTree'],
  'get /stores/{store}/tasks/{task}/lanes': ['Tasks', 'getLanes'],
  'get /stores/{store}/tasks/{task}/explain': ['Tasks', 'explainTask'],
  'get /stores/{store}/tasks/{task}/growth': ['Tasks', 'getGrowth'],
  'get /stores/{store}/tasks/{task}/tree/columns': ['Tasks', 'getTreeColumns'],
  'get /stores/{store}/tasks/{task}/history': ['Tasks', 'streamHistory'],
  'get /stores/{store}/tasks/{task}/checkpoints': ['Checkpoints', 'listCheckpoints'],
  'get /stores/{store}/checkpoints': ['Checkpoints', 'findCheckpoints'],
  'get /stores/{store}/checkpoints/{id}': ['Checkpoints', 'getCheckpoint'],
  'get /stores/{store}/checkpoints/{id}/state': ['Checkpoints', 'getState'],
  'get /stores/{store}/checkpoints/{id}/state/find': ['Checkpoints', 'findInState'],
  'get /stores/{store}/checkpoints/{id}/state/value': ['Checkpoints', 'getStateValue'],
  'get /stores/{store}/checkpoints/{id}/raw': ['Checkpoints', 'getRaw'],
  'get /stores/{store}/checkpoints/{id}/beside': ['Checkpoints', 'getBeside'],
  'get /stores/{store}/gone': ['Checkpoints', 'whereIsCheckpoint'],
  'get /diff': ['Checkpoints', 'getDiff'],
  'get /diff/steps': ['Checkpoints', 'getDiffSteps'],
  'get /compare': ['Checkpoints', 'compareRuns'],
  'delete /stores/{store}/checkpoints/{id}': ['Changes', 'deleteCheckpoint'],
  'post /stores/{store}/checkpoints/{id}/restore': ['Changes', 'restoreCheckpoint'],
  'post /plans': ['Changes', 'createPlan'],
  'get /plans/{id}/items': ['Changes', 'listPlanItems'],
  'post /plans/{id}/apply': ['Changes', 'applyPlan'],
  'get /proposals': ['Changes', 'listProposals'],
  'get /proposals/{id}': ['Changes', 'getProposal'],
  'post /proposals/{id}/apply': ['Changes', 'applyProposal'],
  'post /proposals/{id}/dismiss': ['Changes', 'dismissProposal'],
  'get /agents': ['Changes', 'listAgents'],
  'delete /grants/{id}': ['Changes', 'endGrant'],
  'get /activity': ['Changes', 'listReceipts'],
  'get /receipts/{id}': ['Changes', 'getReceipt'],
  'post /receipts/{id}/undo': ['Changes', 'undoReceipt'],
  'get /trash': ['Trash', 'listTrash'],
  'get /trash/summary': ['Trash', 'getTrashSummary'],
  'post /trash/plans': ['Trash', 'createPurgePlan'],
  'post /trash/purge': ['Trash', 'purgeTrash'],
  'put /trash/settings': ['Trash', 'setTrashSettings'],
  'get /search': ['Find', 'search'],
  'get /errors': ['Find', 'listErrors'],
  'get /outlines': ['Tasks', 'listOutlines'],
  'get /inbox': ['Find', 'listInbox'],
  'get /usage': ['Find', 'getUsage'],
  'get /stores/{store}/annotations': ['Labels and notes', 'listAnnotations'],
  'get /stores/{store}/checkpoints/{id}/annotations': ['Labels and notes', 'getAnnotation'],
  'put /stores/{store}/checkpoints/{id}/labels/{label}': ['Labels and notes', 'addLabel'],
  'delete /stores/{store}/checkpoints/{id}/labels/{label}': ['Labels and notes', 'removeLabel'],
  'put /stores/{store}/checkpoints/{id}/note': ['Labels and notes', 'setNote'],
  'post /export': ['Export', 'exportTask'],
  'post /export/preview': ['Export', 'previewExport'],
  'post /import': ['Export', 'importBundle'],
};

/** In the order of the documentation. */
const TAGS: readonly (readonly [name: string, description: string])[] = [
  ['Stores', 'Open stores.'],
  ['Tasks', 'Tasks and how they branch.'],
  ['Checkpoints', 'Checkpoints, their states, and the differences between two.'],
  ['Find', 'Search, failures, questions for people, and usage across all open stores.'],
  ['Changes', 'Plan a change, apply it, undo it.'],
  ['Trash', 'Deleted checkpoints that can be brought back.'],
  ['Labels and notes', 'Stored in the journal, never in a store.'],
  ['Export', 'Tasks as files, and back.'],
  ['Server', 'The server itself.'],
  ['More', 'Everything else.'],
];

interface Body {
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

const anyJson = {
  description: 'Any JSON value, exactly as stored. States written by Python may contain NaN and Infinity',
};
const bytes = { type: 'string', contentMediaType: 'application/octet-stream' };
const part = { $ref: '#/components/schemas/Part' };
const text = { type: 'string' };
const CHECKPOINT = '/stores/{store}/checkpoints/{id}';

/** Answers whose text the routes write themselves: their form cannot be read off the handlers. */
const BODIES: Readonly<Record<string, Readonly<Record<string, Body>>>> = {
  [`get ${CHECKPOINT}/state`]: {
    '200': {
      content: {
        'application/json': {
          schema: {
            description: 'A Part if path, offset, limit or depth is given; otherwise the state itself',
            anyOf: [part, anyJson],
          },
        },
      },
    },
  },
  [`get ${CHECKPOINT}/state/value`]: {
    '200': { content: { 'application/json': { schema: anyJson }, 'application/octet-stream': { schema: bytes } } },
  },
  [`get ${CHECKPOINT}/raw`]: {
    '200': { content: { 'application/octet-stream': { schema: bytes } } },
    '206': { content: { 'application/octet-stream': { schema: bytes } } },
  },
  'get /stores/{store}/tasks/{task}/history': {
    '200': { content: { 'application/x-ndjson': { schema: { $ref: '#/components/schemas/HistoryLine' } } } },
  },
  'get /events': { '200': { content: { 'text/event-stream': { schema: text } } } },
  'post /export': {
    '200': { content: { 'application/json': { schema: { type: 'object' } }, 'text/html': { schema: text } } },
  },
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
      const [tag, operationId] = NAMES[`${method} ${path}`] ?? ['More', nameMadeOf(method, path)];
      used.add(tag);
      const responses = Object.entries(operation.responses ?? {}).map(([status, answer]): [string, object] => [
        status,
        { ...answer, ...BODIES[`${method} ${path}`]?.[status] },
      ]);
      Object.assign(operation, {
        tags: [tag],
        operationId,
        responses: { ...Object.fromEntries(responses), ...FAILURES },
      });
    }
  }
  const components = {
    ...document.components,
    securitySchemes: { token: { type: 'http' as const, scheme: 'bearer' } },
  };
  const tags = TAGS.filter(([name]) => used.has(name)).map(([name, description]) => ({ name, description }));
  const info = { ...document.info, license: { name: 'MIT', identifier: 'MIT' } };
  return { ...document, info, tags, components };
}

/** Of a route that is not listed. */
function nameMadeOf(method: string, path: string): string {
  const words = path.split(/[^a-zA-Z0-9]+/).filter((word) => word !== '');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

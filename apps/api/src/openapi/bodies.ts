/** Answers whose text the routes write themselves: the documentation cannot read their form off the handlers. */

interface Body {
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

const anyJson = {
  description: 'Any JSON value, exactly as it is stored; in states that Python wrote, NaN and Infinity may occur',
};
const bytes = { type: 'string', contentMediaType: 'application/octet-stream' };
const part = { $ref: '#/components/schemas/Part' };
const text = { type: 'string' };
const CHECKPOINT = '/stores/{store}/checkpoints/{id}';

const BODIES: Readonly<Record<string, Readonly<Record<string, Body>>>> = {
  [`get ${CHECKPOINT}/state`]: {
    '200': {
      content: {
        'application/json': {
          schema: {
            description: 'A Part where path, offset, limit or depth is given; else the state itself, of any form',
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

export const bodyOf = (method: string, path: string, status: string): Body | undefined =>
  BODIES[`${method} ${path}`]?.[status];

import { compact } from '@checkpoint-inspector/core';
import { z } from '@hono/zod-openapi';
import { addressOf, checkpointAddress } from '../places.ts';
import { more, pageThatFits, paging, shortValue, shortWords } from '../size.ts';
import { structuredTool } from '../tool.ts';
import { statusSchema } from '../../wire/index.ts';

const ITEMS = 15;
/** The first question begins the index: an answer with nothing in it would say that there is nothing. */
const WAIT_MS = 10_000;

export const searchTool = structuredTool({
  name: 'search',
  title: 'Search states',
  description: 'Values, paths and names in the checkpoints of all open stores, best first',
  input: z.strictObject({
    query: z
      .string()
      .min(1)
      .max(2_000)
      .describe('Words, "phrases", path:value, -word, status: agent: task: store: system: trigger: before: after:'),
    ...paging,
  }),
  output: z.object({
    items: z.array(
      z.object({
        checkpoint: checkpointAddress.describe('The last one that contains it'),
        first: checkpointAddress.describe('The first one').optional(),
        status: statusSchema,
        path: z.string().optional(),
        text: z.string().optional(),
        checkpoints: z.number().describe('How many contain it'),
      }),
    ),
    total: z.number(),
    complete: z.boolean().describe('False while stores are being indexed, or if time ran out: ask again'),
    cursor: more,
  }),
  run: async (call, { query, ...asked }) => {
    const { search } = call.inspector;
    // A query that cannot be read is refused before anything is waited for.
    const early = await search.search(query, { limit: 1, signal: call.signal });
    if (!early.coverage.every(({ isSettled }) => isSettled)) await search.settled(WAIT_MS);
    const { items, cursor, page } = await pageThatFits(
      asked,
      ITEMS,
      (at) => search.search(query, { ...at, signal: call.signal }),
      ({ store, ref, status, path, snippet, firstSeen, count }) => ({
        checkpoint: addressOf(store, ref),
        status,
        checkpoints: count,
        ...compact({
          first: count > 1 ? addressOf(store, firstSeen.ref) : undefined,
          path,
          text:
            snippet &&
            (path === undefined
              ? shortWords(call, snippet.text)
              : shortValue(call, path, snippet.text, snippet.text.length)),
        }),
      }),
    );
    const complete = !page.cut && page.coverage.every(({ isSettled }) => isSettled);
    return { members: { items, total: page.total, complete }, cursor };
  },
});

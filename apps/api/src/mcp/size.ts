/** Answers that a model can afford: short values, and lists that end where the budget does. */
import { compact, decodeCursor, encodeCursor, fromWhereTheyDiffer, type Page } from '@checkpoint-inspector/core';
import { z } from '@hono/zod-openapi';
import type { ToolCall } from './tool.ts';

/** Tokenizers differ: such JSON has three to four characters a token, lists of ids and times a little less. */
const CHARACTERS_A_TOKEN = 3;
const DEFAULT_TOKENS = 2_000;
/** Taken by the notice, and by what is told beside a list. */
const HEAD_CHARACTERS = 700;
const VALUE = 160;
const WORDS = 500;

export const maxTokens = z
  .int()
  .min(200)
  .max(50_000)
  .optional()
  .describe(`Longest answer, in tokens; default: ${DEFAULT_TOKENS}`);
export const limit = z.int().min(1).max(1000).optional().describe('Most items; fewer come if they are long');
export const cursor = z.string().optional().describe('From the previous page');
/** Of a tool that lists. */
export const paging = { limit, cursor, maxTokens };
/** Of its answer. */
export const more = z.string().optional().describe('Ask again with it for the next page');

interface Asked {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly maxTokens?: number | undefined;
}

/** Characters that an answer's data may have. */
export const budgetOf = ({ maxTokens: tokens = DEFAULT_TOKENS }: Asked): number =>
  tokens * CHARACTERS_A_TOKEN - HEAD_CHARACTERS;

/** JSON text in an answer, or the beginning of it: as the name at the end of its path masks it. */
export function shortValue({ masker }: Pick<ToolCall, 'masker'>, path: string, json: string, most = VALUE): string {
  return cut(masker.at(path, json), most);
}

/** Words in an answer, or the beginning of them. */
export function shortWords({ masker }: Pick<ToolCall, 'masker'>, words: string, most = WORDS): string {
  return cut(masker.text(words), most);
}

/** Two values of one place, each masked as a whole; of long ones that begin alike from where they differ. */
export function shortChange(
  { masker }: Pick<ToolCall, 'masker'>,
  path: string,
  sent: Changed,
): Pick<Changed, 'before' | 'after'> {
  const { before, after, beforeLength, afterLength } = sent;
  const shown = (json: string): string => masker.at(path, json);
  const areLong = Math.min(before?.length ?? 0, after?.length ?? 0) > VALUE;
  const [old, now] = areLong ? fromWhereTheyDiffer(sent, shown) : [shown(before ?? ''), shown(after ?? '')];
  return compact({
    before: before === undefined ? undefined : cut(old, VALUE, beforeLength),
    after: after === undefined ? undefined : cut(now, VALUE, afterLength),
  });
}

interface Changed {
  readonly before?: string;
  readonly after?: string;
  readonly beforeLength?: number;
  readonly afterLength?: number;
}

/** @param length of the whole, where the text is a part already */
function cut(text: string, most: number, length = text.length): string {
  if (text.length <= most && length <= text.length) return text;
  return `${text.slice(0, most).toWellFormed()}… (${length} characters)`;
}

/** How many of the items fit, at least one. */
export function fitting(items: readonly unknown[], budget: number): number {
  let left = budget;
  const over = items.findIndex((item) => (left -= JSON.stringify(item).length + 1) < 0);
  return over === -1 ? items.length : Math.max(1, over);
}

/** A page of a service, asked for again where not all of it fits: its cursor is that of the last item told. */
export async function pageThatFits<Item, Short, Answer extends Page<Item>>(
  asked: Asked,
  usual: number,
  ask: (at: { limit: number; cursor?: string }) => Promise<Answer & Page<Item>>,
  toShort: (item: Item) => Short,
): Promise<{ items: Short[]; cursor: string | undefined; page: Answer }> {
  const from = asked.cursor === undefined ? {} : { cursor: asked.cursor };
  const page = await ask({ limit: asked.limit ?? usual, ...from });
  const items = page.items.map(toShort);
  const fit = fitting(items, budgetOf(asked));
  if (fit === items.length) return { items, cursor: page.cursor, page };
  const shorter = await ask({ limit: fit, ...from });
  return { items: shorter.items.map(toShort), cursor: shorter.cursor, page: shorter };
}

/** A part of a list that is whole in memory. @param head told beside it @throws InspectorError invalid_input (the cursor) */
export function partThatFits<Item, Short>(
  asked: Asked,
  usual: number,
  all: readonly Item[],
  toShort: (item: Item) => Short,
  head: object = {},
): { items: Short[]; cursor: string | undefined } {
  const from = placeIn(asked.cursor);
  const items = all.slice(from, from + (asked.limit ?? usual)).map(toShort);
  const told = items.slice(0, fitting(items, budgetOf(asked) - JSON.stringify(head).length));
  const next = from + told.length;
  return { items: told, cursor: next < all.length ? encodeCursor([next]) : undefined };
}

/** How many items come before the page. @throws InspectorError invalid_input */
export function placeIn(text: string | undefined): number {
  return text === undefined ? 0 : Number(decodeCursor(text, ['number'])[0]);
}

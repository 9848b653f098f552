import { compact, parseJson, parsePath, sourceOf, stringOf, valueAt } from '@checkpoint-inspector/core';
import type { SearchAnswer, SearchItem } from '@checkpoint-inspector/search';
import { ids, many, masked, maskedAt, print, table } from '../output.ts';
import { wholeNumber, type Run, type Workspace } from '../workspace.ts';
import { INDEX_PRIVATE, reading, type Listing, type Verbs } from '../verbs.ts';

interface SearchOptions extends Listing {
  readonly wait?: string;
  readonly reveal?: boolean;
}

/** A longer value is shown as the index has it, with its secrets masked. */
const MOST_REVEALED = 2000;
const MOST_WAIT_S = 86_400;

export function addSearch(verbs: Verbs): void {
  verbs
    .overStores('search <query...>', {
      group: 'look',
      about: 'find text in all states: words, path:value, status:failed, >10MB; put -word after --',
      examples: ['search 4200', 'search revenue.CompanyB:4200', 'search status:failed timeout -s ./checkpoints.sqlite'],
    })
    .option('--limit <n>', 'results per page, 1 to 1000; default: 100')
    .option('--cursor <cursor>', 'the next page')
    .option('--index-private', INDEX_PRIVATE)
    .option('--wait <seconds>', 'how many seconds to wait for the index; default: 60')
    .action((words: string[], options: SearchOptions) => reading(verbs, options, (run) => search(run, words, options)));
}

async function search({ workspace, output }: Run, words: readonly string[], options: SearchOptions): Promise<void> {
  const limit = wholeNumber('--limit', options.limit ?? '100', { from: 1, to: 1000 });
  const wait = wholeNumber('--wait', options.wait ?? '60', { from: 0, to: MOST_WAIT_S });
  // A query that cannot be read is said before anything is indexed.
  const { search: finder } = await workspace.inspector();
  const early = await finder.search(words.join(' '), { limit: 1 });
  const settled = early.coverage.every((store) => store.isSettled);
  if (!settled) await finder.settled(wait * 1000);
  const answer = await finder.search(words.join(' '), { limit, ...compact({ cursor: options.cursor }) });
  // The index keeps no secrets: what it masked is read from the stores.
  const whats = await Promise.all(
    answer.items.map(async (item) => (options.reveal ? revealed(workspace, item) : undefined)),
  );
  const items = answer.items.map((item, at) => ({ ...item, ...compact({ value: whats[at] }) }));
  print(output, { ...answer, items }, () => [
    ...table(
      ['STORE', 'TASK', ids('FIRST'), ids('LAST'), 'IN', 'WHERE', 'WHAT'],
      answer.items.map((item, at) => row(item, whats[at])),
      output.terminal,
    ),
    ...notes(answer),
  ]);
}

function row(
  { store, ref, path, snippet, firstSeen, lastSeen, count }: SearchItem,
  value: string | undefined,
): string[] {
  const found =
    snippet === undefined
      ? path === undefined
        ? (lastSeen.description ?? '')
        : ''
      : framed({ ...snippet, text: path === undefined ? snippet.text : maskedAt(path, snippet.text) });
  return [store, ref.task, firstSeen.ref.id, lastSeen.ref.id, String(count), path ?? '', value ?? found].map(masked);
}

/** The value as stored, where the index masked a part of it. */
async function revealed(workspace: Workspace, { store, ref, path, snippet }: SearchItem): Promise<string | undefined> {
  if (path === undefined || !snippet?.text.includes('•')) return undefined;
  const state = await workspace.stores.source(store).state(ref);
  if (state === undefined) return undefined;
  const node = valueAt(state.text, parseJson(state.text), parsePath(path));
  if (node === undefined) return undefined;
  const text = node.kind === 'string' ? JSON.stringify(stringOf(state.text, node)) : sourceOf(state.text, node);
  return text.length <= MOST_REVEALED ? text : undefined;
}

const framed = ({ text, cutBefore, cutAfter }: NonNullable<SearchItem['snippet']>): string =>
  `${cutBefore ? '…' : ''}${text}${cutAfter ? '…' : ''}`;

function notes({ items, total, atLeast, cut, cursor, coverage }: SearchAnswer): string[] {
  const sum = (part: 'of' | 'indexed' | 'locked' | 'unreadable' | 'partly'): number =>
    coverage.reduce((all, store) => all + store[part], 0);
  const [of, indexed, locked, unreadable] = [sum('of'), sum('indexed'), sum('locked'), sum('unreadable')];
  const partly = sum('partly');
  const waiting = of - indexed - locked - unreadable;
  const rest = [
    locked > 0 ? `${locked} locked` : '',
    unreadable > 0 ? `${unreadable} unreadable` : '',
    waiting > 0 ? `${waiting} not read yet` : '',
    partly > 0 ? `${partly} only partly indexed` : '',
  ].filter((part) => part !== '');
  return [
    '',
    `${items.length} of ${atLeast ? 'at least ' : ''}${total} found. ${[`${indexed.toLocaleString('en')} of ${many(of)} indexed`, ...rest].join(', ')}.`,
    ...(cut ? ['Stopped after one second, so there may be more. Narrow the search.'] : []),
    ...unkeptNote(coverage.filter(({ unkept }) => unkept).map(({ store }) => store)),
    ...coverage.flatMap(({ store, problem }) => (problem === undefined ? [] : [`${store}: ${problem}`])),
    ...(cursor === undefined ? [] : [`More: --cursor ${cursor}`]),
  ];
}

/** Each search of such a store reads all of it. */
const unkeptNote = (stores: readonly string[]): string[] =>
  stores.length === 0
    ? []
    : [
        `Nothing of ${stores.join(', ')} is kept on disk, because it is private work, so each search reads it all. --index-private keeps its index.`,
      ];

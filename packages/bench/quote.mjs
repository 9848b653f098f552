// Puts the figures of RESULTS.md into the page on performance, so that nobody copies them by hand: node packages/bench/quote.mjs
import { readFileSync, writeFileSync } from 'node:fs';

const ROWS = [
  '',
  '---',
  'save, p50',
  'save, p99',
  'load as text, new connection',
  'then its parent, as text',
  'list the newest 100, new connection',
  'a save that leaves the newest 100',
  'on the disk',
];

/** What the page says between the marks. */
export function quoteOf(results) {
  const table = results.slice(results.indexOf('### 1,000 steps'));
  const rows = table.split('\n').filter((line) => ROWS.some((row) => line.startsWith(`| ${row} |`)));
  const conditions = results.split('\n').find((line) => line.startsWith('Conditions: '));
  const floor = table.split('\n').find((line) => line.startsWith('All states together: '));
  return [
    '1,000 steps of a conversation with tool results and forks; in brackets: how many times better than full rows in the same run, above 1 is better.',
    '',
    ...rows,
    '',
    floor,
    '',
    conditions,
  ].join('\n');
}

export const MARKS = ['<!-- figures of npm run bench -->\n', '\n<!-- /figures -->'];

export const quotedIn = (page) => page.split(MARKS[0])[1]?.split(MARKS[1])[0];

if (process.argv[1]?.endsWith('quote.mjs')) {
  const file = (path) => new URL(path, import.meta.url);
  const page = readFileSync(file('../../apps/cli/docs/performance.md'), 'utf8');
  const marked = (text) => MARKS.join(text);
  const quote = quoteOf(readFileSync(file('RESULTS.md'), 'utf8'));
  writeFileSync(
    file('../../apps/cli/docs/performance.md'),
    page.replace(marked(quotedIn(page)), () => marked(quote)),
  );
}

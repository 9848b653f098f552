import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const web = join(import.meta.dirname, '../dist/web');
/** What a page over a slow tunnel may cost before its list is there. */
const MOST_BYTES = 250_000;

it('asks for less than 250 kB before the list of tasks is there, and for few files', () => {
  const page = readFileSync(join(web, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] ?? '');
  const files = ['/index.html', ...new Set(named)];
  expect(files.filter((file) => file.endsWith('.js')).length).toBeLessThan(8);
  const sizes = files.map((file) => [file, gzipSync(readFileSync(join(web, file)), { level: 9 }).length] as const);
  expect(
    sizes.reduce((sum, [, bytes]) => sum + bytes, 0),
    sizes.map(([file, bytes]) => `${file} ${bytes}`).join('\n'),
  ).toBeLessThan(MOST_BYTES);
});

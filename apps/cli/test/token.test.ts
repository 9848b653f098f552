import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { workplace } from './run.ts';

const plain = (text: string): string => text.replaceAll('`', '').replaceAll(/\s+/g, ' ');

it('the help and the page on privacy say where others can read a token of the command line, and what to use instead', async () => {
  const help = plain((await workplace().run('open', '--help')).out);
  const page = plain(readFileSync(join(import.meta.dirname, '../docs/privacy.md'), 'utf8'));
  for (const text of [help, page]) {
    expect(text).toMatch(/--token.{0,200}process list|process list.{0,200}--token/);
    expect(text).toContain('CHECKPOINT_INSPECTOR_TOKEN');
  }
});

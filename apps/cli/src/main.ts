import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { InspectorError } from '@checkpoint-inspector/core';
import { createOutput, report } from './output.ts';
import { createProgram } from './program.ts';
import { withOpen } from './target-words.ts';
import { endOnClosedPipe } from './terminal.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
endOnClosedPipe();
const args = process.argv.slice(2);
const output = createOutput(args.includes('--json'), { reveal: args.includes('--reveal') });
const program = createProgram({ version, output });

try {
  await program.parseAsync(withOpen(program, args), { from: 'user' });
} catch (thrown) {
  process.exitCode = failed(thrown);
}

function failed(thrown: unknown): number {
  if (!(thrown instanceof CommanderError)) return report(output, thrown);
  if (thrown.exitCode === 0) return 0; // --help and --version
  return report(
    output,
    new InspectorError('invalid_input', thrown.message.replace(/^error: /, ''), { remedy: 'See --help.' }),
  );
}

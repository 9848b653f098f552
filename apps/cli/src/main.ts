import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { InspectorError } from '@checkpoint-inspector/core';
import { createOutput, report } from './output.ts';
import { createProgram } from './program.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const output = createOutput(process.argv.includes('--json'), { reveal: process.argv.includes('--reveal') });

try {
  await createProgram({ version, output }).parseAsync(process.argv);
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

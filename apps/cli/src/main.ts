import { readFileSync } from 'node:fs';
import { InspectorError } from '@checkpoint-inspector/core';
import { runCommand } from './program.ts';
import { createOutput, report } from './output.ts';
import { watchOutput } from './terminal.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const args = process.argv.slice(2);
watchOutput(({ message }) => {
  const error = new InspectorError('disk_full', `The output couldn't be written: ${message}.`);
  process.exitCode ||= report(createOutput(args), error);
});
const code = await runCommand(args, version);
// A command that ended well may have set a code of its own: `doctor` does.
if (code !== 0) process.exitCode = code;

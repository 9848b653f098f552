import { readFileSync } from 'node:fs';
import { runCommand } from './command.ts';
import { endOnClosedPipe } from './terminal.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
endOnClosedPipe();
const code = await runCommand(process.argv.slice(2), version);
// A command that ended well may have set a code of its own: `doctor` does.
if (code !== 0) process.exitCode = code;

#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';

const built = new URL('../dist/cli.js', import.meta.url);
if (!existsSync(built)) {
  console.error('This checkout is not built yet. Run `npm start` once, then try again.');
  process.exit(1);
}
const [option, ...others] = process.argv.slice(2);
// Asked by scripts and editors, often: nothing of the command is loaded for it.
if ((option === '--version' || option === '-V') && others.length === 0)
  console.log(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version);
else
  await import(built.href).catch((error) => {
    if (error.code !== 'EMFILE' && error.code !== 'ENFILE') throw error;
    // The code for such an error is among the files that couldn't be opened.
    console.error(`error: Too many files are open.\n  Allow more open files, for example with \`ulimit -n 1024\`.`);
    process.exitCode = 9;
  });

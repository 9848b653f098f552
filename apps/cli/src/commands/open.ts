import { SYSTEM } from '../own-system.ts';
import type { Command } from 'commander';
import { assertTarget } from '../target-words.ts';
import { ASK_KEY, collect, HOME, INDEX_PRIVATE, KEY_FILE, type Verbs } from '../verbs.ts';
import type { OpenOptions } from './serve.ts';

export function addOpen(verbs: Verbs): void {
  const { output, version } = verbs;
  verbs
    .add(
      'open [target...]',
      {
        group: 'open',
        about: 'open stores in the browser; default: the stores below this folder',
        examples: ['', './checkpoints.sqlite ./kaizen', 'prod=./checkpoints.sqlite --read-only', '--demo --app'],
      },
      { isDefault: true },
    )
    .option('--demo', 'open the demo stores, with a running agent')
    .option('--home', HOME)
    .option('--index-private', INDEX_PRIVATE)
    .option('--port <n>', 'port; 0 picks a free one', '4600')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--allowed-host <host>', 'also accept this Host header (with port), repeatable', collect)
    .option('--read-only', 'refuse every change')
    .option('--no-open', 'do not start the browser')
    .option('--app', 'open the page in its own window')
    .option(
      '--token <token>',
      'use this token instead of a new one; other users can see it in the process list, so prefer the variable CHECKPOINT_INSPECTOR_TOKEN',
    )
    .option('--key-file <path>', KEY_FILE)
    .option('--ask-key', ASK_KEY)
    .option(...SYSTEM)
    .option('--reveal', 'return unmasked secrets over /mcp; the page masks them until you reveal them')
    .option('--json', 'print the start line as JSON')
    .action(async (targets: string[], options: OpenOptions, command: Command) => {
      const program = command.parent;
      const [word] = targets;
      const isNamed = program?.args[0] === command.name();
      if (program && !isNamed && word !== undefined) assertTarget(program, word);
      // The server is loaded for those who ask for it.
      const { open } = await import('./serve.ts');
      await open({ targets, options, version, output });
    });
}

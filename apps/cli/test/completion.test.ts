import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { CLI, workplace } from './run.ts';

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

describe('completion', async () => {
  const place = workplace();
  const kaizen = place.kaizen();
  const store = await openSqliteStore({ path: place.path('agents.db') });
  for (const task of ['nightly run', 'jobs:etl', 'line\nbreak']) await store.save({ task, id: 'cp-0001', text: '{}' });
  await store.save({ task: 'nightly run', id: 'cp-0002', text: '{}' });
  await store.close();
  /** Names alone. */
  const after = async (...words: string[]): Promise<string[]> => {
    const done = await place.run('completion', 'bash', '--', ...words);
    expect(done).toMatchObject({ code: 0, err: '' });
    return done.out
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t')[0] ?? '');
  };

  it('knows the commands, and the options and choices of each', async () => {
    expect(await after('re')).toEqual(['restore', 'receipts', 'report', 'reclaim']);
    expect(await after('list', '--li')).toEqual(['--limit']);
    expect(await after('tasks', '--limit', '')).toEqual([]);
    expect(await after('completion', 'f')).toEqual(['fish']);
    expect(await after('trash', 'p')).toEqual(['purge']);
    expect(await after('--dem')).toEqual([]);
    expect(await after('open', '--dem')).toEqual(['--demo']);
  });

  it('asks the stores for tasks and checkpoints, those named on the line alone', async () => {
    expect(await after('list', 'res')).toEqual(['research_agent']);
    expect(await after('list', '-s', 'agents.db', '')).toEqual(expect.arrayContaining(['nightly run', 'jobs:etl']));
    expect(await after('list', '-s', 'agents.db', 'res')).toEqual([]);
    expect(await after('list', '--store=agents.db', 'res')).toEqual([]);
    expect(await after('errors', '--task=res')).toEqual(['--task=research_agent']);
    expect(await after('list', 'agents-db/j')).toEqual(['agents-db/jobs%3Aetl']);
    expect(await after('show', 'research_a')).toEqual(['research_agent/latest']);
    expect(await after('diff', 'nightly run/latest', 'nightly run/cp')).toEqual([
      'nightly run/cp-0002',
      'nightly run/cp-0001',
    ]);
  });

  it('leaves out what no line can have, and is silent where nothing can be read', async () => {
    expect((await after('list', '')).filter((name) => name.startsWith('line'))).toEqual([]);
    expect(await after('list', '-s', 'nothing.db', '')).toEqual([]);
    writeFileSync(place.path('damaged.db'), 'SQLite format 3\0damaged');
    expect(await after('list', '-s', 'damaged.db', '')).toEqual([]);
  });

  it('names a task with its store where several have it', async () => {
    const [langgraph, other] = [place.langgraph('one.sqlite'), place.langgraph('two.sqlite')];
    const names = await after('list', '-s', langgraph, '-s', other, '');
    expect(names).toContain('one-sqlite/fork-demo');
    expect(names).toContain('two-sqlite/fork-demo');
    expect(names).not.toContain('fork-demo');
  });

  /** What bash would put in the place of the last word, by the built command. */
  const inBash = (line: string): string[] => {
    const script = `source <(${process.execPath} ${CLI} completion bash)
COMP_LINE="$1"; COMP_POINT=\${#COMP_LINE}; _checkpoint_inspector ${CLI}
for name in "\${COMPREPLY[@]}"; do echo "$name"; done`;
    const env = { ...process.env, CHECKPOINT_INSPECTOR_STATE: place.state };
    const done = spawnSync('bash', ['-c', script, 'bash', line], { cwd: place.folder, env, encoding: 'utf8' });
    expect(done.stderr).toBe('');
    return done.stdout.split('\n').filter(Boolean);
  };

  it.skipIf(!has('bash'))('works in bash, also for ids with spaces and colons', () => {
    expect(inBash('checkpoint-inspector ta')).toEqual(['tasks']);
    expect(inBash(`checkpoint-inspector list -s ${kaizen} res`)).toEqual(['research_agent']);
    expect(inBash('checkpoint-inspector list -s agents.db nig')).toEqual(['nightly\\ run']);
    expect(inBash('checkpoint-inspector show -s agents.db nightly\\ run/cp-0001')).toEqual(['nightly\\ run/cp-0001']);
    expect(inBash('checkpoint-inspector list -s agents.db jobs:e')).toEqual(['etl']);
    expect(inBash('checkpoint-inspector list --key-file ')).toEqual([]);
  });

  /** Runs in a shell that finds the built command by its name, as an installed one. */
  const inShell = (shell: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): string => {
    const bin = place.path('bin');
    mkdirSync(bin, { recursive: true });
    const command = join(bin, 'checkpoint-inspector');
    writeFileSync(place.path('secret.txt'), '');
    writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`, { mode: 0o755 });
    const path = `${bin}:${process.env['PATH'] ?? ''}`;
    const env = { ...process.env, PATH: path, HOME: place.folder, CHECKPOINT_INSPECTOR_STATE: place.state, ...more };
    const done = spawnSync(shell, args, { cwd: place.folder, env, encoding: 'utf8', timeout: 120_000 });
    expect(done.stderr).toBe('');
    return done.stdout;
  };

  /** A terminal of zsh's own, whose line editor gets the line, Tab, and a key that prints what is in the line then. */
  const ZSHRC = `PS1='READY> '; autoload -Uz compinit && compinit -u -D
eval "$(checkpoint-inspector completion zsh)"
shown() { print -r -- "<<$BUFFER>>"; BUFFER=''; zle send-break; }; zle -N shown; bindkey '^X' shown`;
  const inZsh = (...lines: string[]): string[] => {
    writeFileSync(place.path('.zshrc'), ZSHRC);
    const script = `zmodload zsh/zpty; zpty z 'zsh -d -i'; zpty -r z out '*READY> *'
for line in "$@"; do zpty -n -w z "$line"$'\\t\\x18'; zpty -r z out '*<<*>>*'; print -r -- "$out"; done`;
    const shown = inShell('zsh', ['-f', '-c', script, 'zsh', ...lines], { ZDOTDIR: place.folder });
    return [...shown.matchAll(/<<(.*?) ?>>/g)].map(([, line = '']) => line);
  };

  it.skipIf(!has('zsh'))('works in zsh where it is installed, also for ids with spaces and colons', () => {
    expect(
      inZsh(
        'checkpoint-inspector ta',
        'checkpoint-inspector list -s kaizen res',
        'checkpoint-inspector list -s agents.db nig',
        'checkpoint-inspector show -s agents.db nightly\\ run/cp-0001',
        'checkpoint-inspector list -s agents.db jobs:e',
        'checkpoint-inspector list --key-file secr',
      ),
    ).toEqual([
      'checkpoint-inspector tasks',
      'checkpoint-inspector list -s kaizen research_agent',
      'checkpoint-inspector list -s agents.db nightly\\ run',
      'checkpoint-inspector show -s agents.db nightly\\ run/cp-0001',
      'checkpoint-inspector list -s agents.db jobs:etl',
      'checkpoint-inspector list --key-file secret.txt',
    ]);
  });

  it.skipIf(!has('fish'))('works in fish where it is installed, also for ids with spaces and colons', () => {
    const script = 'checkpoint-inspector completion fish | source; for line in $argv; complete -C $line; end';
    const inFish = (line: string) =>
      inShell('fish', ['-c', script, line])
        .split('\n')
        .filter(Boolean)
        .map((found) => found.split('\t')[0]);
    expect(inFish('checkpoint-inspector ta')).toEqual(['tasks']);
    expect(inFish('checkpoint-inspector list -s kaizen res')).toEqual(['research_agent']);
    expect(inFish('checkpoint-inspector list -s agents.db nig')).toEqual(['nightly run']);
    expect(inFish('checkpoint-inspector show -s agents.db nightly\\ run/cp-0001')).toEqual(['nightly run/cp-0001']);
    expect(inFish('checkpoint-inspector show -s agents.db "nightly run/cp-0001')).toEqual(['nightly run/cp-0001']);
    expect(inFish('checkpoint-inspector list -s agents.db jobs:e')).toEqual(['jobs:etl']);
    expect(inFish('checkpoint-inspector list --key-file secr')).toEqual(['secret.txt']);
  });

  it('refuses a shell that it does not know', async () => {
    expect((await place.run('completion', 'tcsh')).err).toContain('Allowed choices are bash, zsh, fish');
  });
});

import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workplace } from './run.ts';

const SESSIONS = resolve(import.meta.dirname, '../../../packages/systems/src/gemini-cli/fixtures/five-turns/.gemini');
/** What the model says in those sessions. */
const SAID = 'mock reply';

describe("what a coding agent keeps in the user's home folder", () => {
  const place = workplace();
  const home = place.path('home');
  mkdirSync(home);
  cpSync(SESSIONS, join(home, '.gemini'), { recursive: true });
  // The built command: only a process of its own has another home folder.
  const run = (...args: string[]) => place.startWith({ HOME: home }, ...args);
  const isKept = (): boolean =>
    place.hasState() &&
    readdirSync(place.state, { recursive: true, encoding: 'utf8' })
      .map((name) => join(place.state, name))
      .some((path) => statSync(path).isFile() && readFileSync(path, 'latin1').includes(SAID));

  it('is found when it is asked for or named, and not by looking below a folder', () => {
    expect(run('tasks').err).toContain('look for coding agents in your home folder with --home');
    for (const args of [['--home'], ['-s', join(home, '.gemini')]]) {
      const { items } = JSON.parse(run('tasks', ...args, '--json').out) as { items: { system: string }[] };
      expect(items.map(({ system }) => system)).toEqual(['gemini-cli', 'gemini-cli']);
    }
  });

  it('is searched without a byte of it on disk, until the person agrees', () => {
    const found = run('search', SAID, '--home');
    expect(found.out).toContain('Nothing of gemini is kept on disk, because it is private work');
    expect(found.out).toContain(SAID);
    expect(isKept()).toBe(false);
    expect(run('search', SAID, '--home', '--index-private').out).not.toContain('kept on disk');
    expect(isKept()).toBe(true);
    expect(run('search', SAID, '--home').out).not.toContain('kept on disk');
  });
});

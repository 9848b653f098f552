import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { NOT_AS_EXPECTED, type Output } from './output.ts';
import { createProgram } from './program.ts';

const lines: string[] = [];
const output: Output = { json: false, line: (text) => void lines.push(text), note: () => undefined };
const program = await createProgram({ version: '0.0.0', output });
const below = (command: Command): Command[] => command.commands.flatMap((one) => [one, ...below(one)]);
const verbs = below(program);

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

it.each(program.commands.map((command) => command.name()))(
  'a line that begins with %s needs no other module',
  async (name) => {
    const { commands } = await createProgram({ version: '0.0.0', output }, [name, '--help']);
    expect(commands.map((command) => command.name())).toContain(name);
    expect(commands.length).toBeLessThan(4);
  },
);

describe('the help', () => {
  it('lists the commands that the documents promise', () => {
    const names = program.commands.map((command) => command.name());
    expect(names).toEqual(expect.arrayContaining(['fork', 'receipts', 'verify', 'exit-codes']));
    for (const command of program.commands)
      expect(helpOf(program)).toContain(`  ${[command.name(), ...command.aliases()].join('|')} `);
  });

  it.each(verbs.map((verb) => [verb.name(), verb] as const))('of %s has no paragraph wider than 120', (_, verb) => {
    const paragraphs = helpOf(verb)
      .split('\n')
      .filter((line) => /^[A-Za-z]/.test(line));
    expect(paragraphs.filter((line) => line.length > 120)).toEqual([]);
  });

  it.each(verbs.map((verb) => [verb.name(), verb] as const))(
    'of %s has examples, and each of them can be parsed',
    (_, verb) => {
      const help = helpOf(verb);
      expect(help).toContain('\nExamples:\n  ');
      const [, examples = ''] = help.split('\nExamples:\n');
      const own = examples.split('\n').filter((line) => line.startsWith('  checkpoint-inspector'));
      expect(own.length).toBeGreaterThan(0);
      const known = new Set(verb.options.flatMap(({ long, short }) => [long, short]).concat(['--help']));
      const children = verb.commands.flatMap((child) => child.options.map(({ long }) => long));
      for (const line of own)
        for (const [option] of line.matchAll(/(?<= )--?[a-z][a-z-]*/g))
          expect([...known, ...children], line).toContain(option);
    },
  );

  it('has examples that are typed as they are: paths in quotes, as `$.` is a variable to fish, and ids of their form', () => {
    const examples = verbs.flatMap((verb) => helpOf(verb).split('\nExamples:\n')[1]?.split('\n') ?? []);
    expect(examples.filter((line) => /checkpoint-inspector .*\s\$[.[]/.test(line))).toEqual([]);
    const undone = examples.flatMap((line) => / undo (\S+) --yes/.exec(line)?.[1] ?? []);
    expect(undone).toEqual([expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)]);
  });

  it('says how checkpoints and tasks are named', () => {
    const show = verbs.find((verb) => verb.name() === 'show');
    expect(show && helpOf(show)).toContain('latest~2');
    const list = verbs.find((verb) => verb.name() === 'list');
    expect(list && helpOf(list)).toContain('store/task');
  });

  it('says that what is below a path is ignored by a rule of its own', () => {
    const diff = verbs.find((verb) => verb.name() === 'diff');
    expect(diff && helpOf(diff).replaceAll(/\s+/g, ' ')).toContain('a last .** all below');
    expect(diff && helpOf(diff)).toContain("--ignore '$.messages.**'");
  });

  it('does not promise that show masks a state', () => {
    const reveal = (name: string) =>
      verbs.find((verb) => verb.name() === name)?.options.find(({ long }) => long === '--reveal')?.description;
    expect(reveal('show')).toContain('a state or value is always printed as stored');
    expect(reveal('list')).toContain('known kinds are masked');
  });

  it('has every exit code of the table of errors', async () => {
    await program.parseAsync(['exit-codes'], { from: 'user' });
    const shown = lines.slice(1).map((line) => Number(line.split(' ')[0]));
    const codes = Object.values(ERROR_CODES).map(({ exit }) => exit);
    expect(shown).toEqual([0, ...codes, NOT_AS_EXPECTED].toSorted((a, b) => a - b));
    for (const { means } of Object.values(ERROR_CODES)) expect(lines.join('\n')).toContain(means);
    const verb = verbs.find((one) => one.name() === 'exit-codes');
    for (const code of Object.keys(ERROR_CODES)) expect(verb && helpOf(verb)).toContain(code);
  });
});

import { existsSync } from 'node:fs';
import { InspectorError, nearest } from '@checkpoint-inspector/core';
import type { Command } from 'commander';
import { NAME } from './verbs.ts';

/** More edits than these make another word. */
const SLIPS = 2;

/**
 * For a first word that names neither a file nor a folder: most likely a misspelt verb.
 * @throws InspectorError invalid_input, with the verb that was probably meant
 */
export function assertTarget(program: Command, word: string): void {
  if (isPath(word) || existsSync(word)) return;
  const verbs = namesOf(program);
  if (verbs.includes(word)) {
    throw new InspectorError('invalid_input', `"${word}" is a command, so it must come before its options.`, {
      remedy: `Write: ${NAME} ${word} …`,
    });
  }
  throw unknownWord(word, verbs, 'a command, a file or a folder', `See ${NAME} --help, or name a file or folder.`);
}

function unknownWord(word: string, verbs: readonly string[], what: string, otherwise: string): InspectorError {
  const meant = nearest(word, verbs, SLIPS);
  return new InspectorError('invalid_input', `"${word}" isn't ${what}.`, {
    ...(meant === undefined ? {} : { data: { meant } }),
    remedy: meant === undefined ? otherwise : `Did you mean "${meant}"?`,
  });
}

/**
 * Before the options are read: those of a misspelt verb would be unknown ones.
 * @throws InspectorError invalid_input, with the verb that was probably meant
 */
export function assertFirstWord(program: Command, [word = '', topic = '']: readonly string[]): void {
  const verbs = [...namesOf(program), 'help'];
  const isVerb = verbs.includes(word);
  if (word === 'help' && topic !== '' && !topic.startsWith('-') && !verbs.includes(topic))
    throw unknownWord(topic, verbs, 'a command', `See ${NAME} --help.`);
  if (word !== '' && !word.startsWith('-') && !isVerb) assertTarget(program, word);
}

const namesOfVerb = (command: Command): string[] => [command.name(), ...command.aliases()];
const namesOf = (program: Command): string[] => program.commands.flatMap(namesOfVerb);

/** What nobody writes when they mean a verb: `./a`, `a.db`, `~/a`, `name=a`. */
const isPath = (word: string): boolean => /[/\\.~=:]/.test(word);

/**
 * The arguments with `open` in front where a verb's name alone is the name of a file or folder here: a verb that
 * needs an argument can do nothing without one. The help of `help` is that of the program.
 */
export function withOpen(program: Command, args: readonly string[]): readonly string[] {
  const [word = '', ...others] = args;
  if (word === 'help' && others[0] === 'help') return [word];
  const verb = program.commands.find((command) => namesOfVerb(command).includes(word));
  const needsMore = verb?.registeredArguments.some(({ required }) => required) ?? false;
  return others.length === 0 && needsMore && existsSync(word) ? ['open', ...args] : args;
}

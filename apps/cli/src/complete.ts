/** What can complete a command line, told from the verbs themselves. */
import type { Command, Option } from 'commander';
import { compact } from '@checkpoint-inspector/core';

/** What the last word of a command line is. */
export interface Wanted {
  readonly command: Command;
  /** As far as it is written; of `--status=fa` it is `fa`. */
  readonly word: string;
  /** What is in front of `word` and stays: `--status=`. */
  readonly before: string;
  /** It is the value of this option. */
  readonly option?: Option;
  /** It is the argument at this place. */
  readonly place: number;
  /** The stores named before it. */
  readonly stores: readonly string[];
}

export interface Candidate {
  readonly name: string;
  readonly about?: string;
}

/** @param words what follows the program's name; the last one is being written, and may be empty */
export function wantedIn(program: Command, words: readonly string[]): Wanted {
  let command = program;
  let place = 0;
  let option: Option | undefined;
  const stores: string[] = [];
  for (const word of words.slice(0, -1)) {
    if (option !== undefined) {
      if (option.long === '--store') stores.push(word);
      option = undefined;
    } else if (word.startsWith('-')) {
      const [name = '', ...value] = word.split('=');
      const found = optionOf(command, name);
      if (found?.long === '--store' && value.length > 0) stores.push(value.join('='));
      if (found && takesValue(found) && value.length === 0) option = found;
    } else {
      const below =
        place === 0 ? command.commands.find((one) => one.name() === word || one.aliases().includes(word)) : undefined;
      command = below ?? command;
      if (!below) place++;
    }
  }
  const last = words.at(-1) ?? '';
  const [, before = '', name = ''] = (option === undefined && /^((--[a-z-]+)=)/.exec(last)) || [];
  option ??= before === '' ? undefined : optionOf(command, name);
  return { command, word: last.slice(before.length), before, place, stores, ...compact({ option }) };
}

const optionOf = (command: Command, name: string): Option | undefined =>
  command.options.find(({ long, short }) => long === name || short === name);

const takesValue = ({ required, optional }: Option): boolean => required || optional;

/** Commands, options and choices; `undefined` where a value is wanted that only the stores know, or a path. */
export function wordsFor({ command, word, option, place }: Wanted): Candidate[] | undefined {
  if (option) return option.argChoices?.map((name) => ({ name }));
  if (word.startsWith('-')) {
    const options = command.options.filter(({ hidden }) => !hidden);
    return options.map(({ long, short, description }) => ({ name: long ?? short ?? '', about: description }));
  }
  if (place === 0 && command.commands.length > 0)
    return command.commands.flatMap((one) => [
      { name: one.name(), about: one.description() },
      ...one.aliases().map((name) => ({ name, about: `the same as ${one.name()}` })),
    ]);
  return argumentAt(command, place)?.argChoices?.map((name) => ({ name }));
}

const argumentAt = ({ registeredArguments }: Command, place: number) => {
  const last = registeredArguments.at(-1);
  return registeredArguments[place] ?? (last?.variadic ? last : undefined);
};

/** The name of the value that is wanted, as the help has it. @example valueName(wanted) // 'task' */
export const valueName = ({ command, option, place }: Wanted): string | undefined =>
  option ? /[<[]([\w-]+)/.exec(option.flags)?.[1] : argumentAt(command, place)?.name();

/** Those that begin as the word does, as lines for the shells. Names that can't be typed are left out. */
export function candidateLines({ word, before }: Wanted, candidates: readonly Candidate[]): string[] {
  return candidates
    .filter(({ name }) => name.startsWith(word) && !/\p{Cc}/u.test(name))
    .map(({ name, about = '' }) => `${before}${name}\t${about.replaceAll(/\p{Cc}/gu, ' ')}`);
}

/** The pages of reference, made from what they describe. */
import type { Command, Option } from 'commander';

/** A part of a page that is generated: between its two marks. */
const marksOf = (name: string): readonly [string, string] => [`<!-- ${name} -->\n`, `<!-- /${name} -->`];

/** @throws Error for a page without the marks */
export function withPart(page: string, name: string, part: string): string {
  const [begin, end] = marksOf(name);
  const [before, rest = ''] = page.split(begin);
  const after = rest.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`The page has no part "${name}".`);
  return `${before}${begin}${part.trim()}\n${end}${after}`;
}

const cell = (text: string): string =>
  text
    .replaceAll('|', String.raw`\|`)
    .replaceAll(/\s+/g, ' ')
    .trim();

const sentence = (text: string): string => cell(text).replace(/^[a-z]/, (first) => first.toUpperCase());

const optionRow = ({ flags, description, defaultValue, defaultValueDescription }: Option): string => {
  const stated = typeof defaultValue === 'string' ? ` (default: ${defaultValueDescription ?? defaultValue})` : '';
  return `| \`${cell(flags)}\` | ${cell(description)}${stated} |`;
};

const rowsOf = (options: readonly Option[]): string[] =>
  options.length === 0 ? [] : ['| option | |', '|---|---|', ...options.map(optionRow), ''];

/** Options that most verbs have, said once. */
function commonIn(verbs: readonly Command[]): ReadonlyMap<string, Option> {
  const uses = new Map<string, Option[]>();
  for (const option of verbs.flatMap((verb) => verb.options)) {
    const key = `${option.flags}: ${option.description}`;
    uses.set(key, [...(uses.get(key) ?? []), option]);
  }
  return new Map([...uses].flatMap(([key, [first, ...more]]) => (first && more.length >= 8 ? [[key, first]] : [])));
}

/** Every verb, in the groups and order of `--help`. */
export function commandsPart(program: Command, groups: readonly string[]): string {
  const verbs = program.commands.filter((verb) => verb.name() !== 'help');
  const common = commonIn(verbs);
  const own = (verb: Command) =>
    verb.options.filter(({ flags, description }) => !common.has(`${flags}: ${description}`));
  const usageOf = (verb: Command): string =>
    [verb.name(), verb.usage().replace('[options]', '').replace('[command]', '').trim()].join(' ').trim();
  const section = (verb: Command): string[] => [
    `### ${verb.name()}`,
    '',
    `\`${program.name()} ${usageOf(verb)}\``,
    '',
    `${sentence(verb.description())}.${verb
      .aliases()
      .map((name) => ` Also called \`${name}\`.`)
      .join('')}`,
    '',
    ...rowsOf(own(verb)),
    ...verb.commands.flatMap((inner) => [
      `\`${program.name()} ${verb.name()} ${usageOf(inner)}\`: ${cell(inner.description())}.`,
      '',
      ...rowsOf(own(inner)),
    ]),
  ];
  const group = (heading: string): string[] => [
    `## ${heading.replace(/( \(.*\))?:$/, '')}`,
    '',
    ...verbs.filter((verb) => verb.helpGroup() === heading).flatMap(section),
  ];
  return [...groups.flatMap(group), '## Common options', '', ...rowsOf([...common.values()])].join('\n');
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { tags?: string[]; summary?: string }>>>>;
  readonly tags?: readonly { name: string }[];
}

/** Every route, below the heading that it has in the document. */
export function routesPart({ paths, tags = [] }: OpenApi): string {
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { tags: of, summary = '' }]) => ({ path, method, tag: of?.[0], summary })),
  );
  return tags
    .flatMap(({ name }) => [
      `## ${name}`,
      '',
      '| route | |',
      '|---|---|',
      ...routes
        .filter(({ tag }) => tag === name)
        .map(({ path, method, summary }) => `| \`${method.toUpperCase()} ${path}\` | ${cell(summary)} |`),
      '',
    ])
    .join('\n');
}

/** Every exported name, with the first sentence of its docstring. */
export function libraryPart(entries: Readonly<Record<string, readonly { name: string; doc: string }[]>>): string {
  const firstSentence = (doc: string): string => {
    const text = cell(doc.replaceAll(/^\s*\*\s?/gm, ' ').split(/@\w+/)[0] ?? '');
    return /^.*?[.:](?= |$)/.exec(text)?.[0]?.replace(/:$/, '.') ?? text;
  };
  const main = entries['index'] ?? [];
  const isMain = (names: readonly { name: string }[]): boolean =>
    names.map(({ name }) => name).join() === main.map(({ name }) => name).join();
  const rows = (names: readonly { name: string; doc: string }[]): string[] => [
    '| name | |',
    '|---|---|',
    ...names.map(({ name, doc }) => `| \`${name}\` | ${firstSentence(doc)} |`),
  ];
  return Object.entries(entries)
    .toSorted(([a], [b]) => Number(b === 'index') - Number(a === 'index'))
    .flatMap(([entry, names]) => [
      `## checkpoint-inspector${entry === 'index' ? '' : `/${entry}`}`,
      '',
      ...(entry !== 'index' && isMain(names) ? ['The same names as `checkpoint-inspector`.'] : rows(names)),
      '',
    ])
    .join('\n');
}

/** The table of errors, by exit code. */
export const codesPart = (codes: Readonly<Record<string, { exit: number; means: string; remedy: string }>>): string =>
  [
    '| exit | code | meaning | what to do |',
    '|---|---|---|---|',
    ...Object.entries(codes)
      .toSorted(([, a], [, b]) => a.exit - b.exit)
      .map(([code, { exit, means, remedy }]) => `| ${exit} | \`${code}\` | ${cell(means)} | ${cell(remedy)} |`),
  ].join('\n');

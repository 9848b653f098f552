/** The figures of all seeds as one Markdown table for each number of steps. */
import type { Figures, SeedRun } from './run.ts';
import { BASE, type SideKind } from './sides/index.ts';
import { median } from './statistics.ts';

export interface StepsRun {
  readonly steps: number;
  readonly runs: readonly SeedRun[];
}

export interface Conditions {
  readonly machine: string;
  readonly node: string;
  readonly sqlite: string;
  readonly langgraph: string;
  readonly seeds: readonly number[];
  readonly loads: readonly number[];
  readonly date: string;
}

/** One figure of one store over all seeds; `times` is how much better than full rows. */
export interface Cell {
  readonly value: number;
  readonly times: number;
}

const ROWS: readonly (readonly [name: keyof Figures, words: string])[] = [
  ['saveP50', 'save, p50'],
  ['saveP99', 'save, p99'],
  ['saveLast', 'save, p50 of the last tenth'],
  ['coldText', 'load as text, new connection'],
  ['neighbourText', 'then its parent, as text'],
  ['coldValue', 'load as a value, new connection'],
  ['neighbourValue', 'then its parent, as a value'],
  ['lastValue', 'load the latest as a value, new connection'],
  ['page', 'list the newest 100, new connection'],
  ['prune', 'a save that leaves the newest 100'],
  ['bytes', 'on the disk'],
];

/** Ratios are taken within a seed, where all stores ran in turn; their median is over the seeds. */
export function cellOf(runs: readonly SeedRun[], side: string, name: keyof Figures): Cell | undefined {
  const pairs = runs.flatMap(({ figures, stateBytes }) => {
    const value = figures[side]?.[name];
    // Full rows that saved only a sample would need the states themselves at least.
    const base = figures[BASE]?.[name] ?? (name === 'bytes' ? stateBytes : undefined);
    return value === undefined || base === undefined ? [] : [{ value, times: base / value }];
  });
  if (pairs.length === 0) return undefined;
  return { value: median(pairs.map(({ value }) => value)), times: median(pairs.map(({ times }) => times)) };
}

export function tableOf({ steps, runs }: StepsRun, sides: readonly SideKind[]): string[] {
  const cell = (name: keyof Figures, side: SideKind): string => {
    const found = cellOf(runs, side.name, name);
    if (found === undefined) return '–';
    const shown = name === 'bytes' ? bytesText(found.value) : `${digits(found.value)} ms`;
    return side.name === BASE ? shown : `${shown} (${digits(found.times)}×)`;
  };
  const rows = ROWS.map(([name, words]) => [words, ...sides.map((side) => cell(name, side))]).filter((row) =>
    row.slice(1).some((one) => one !== '–'),
  );
  return [
    `### ${steps.toLocaleString('en')} steps`,
    '',
    line(['', ...sides.map(({ label }) => label)]),
    line(['---', ...sides.map(() => '---')]),
    ...rows.map(line),
    '',
    floorLine(runs, sides),
  ];
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Bytes beside what a chain of deltas needs, and a save beside what the disk takes for itself. */
function floorLine(runs: readonly SeedRun[], sides: readonly SideKind[]): string {
  const floor = bytesText(median(runs.map(({ floorBytes }) => floorBytes)));
  const all = bytesText(median(runs.map(({ stateBytes }) => stateBytes)));
  const beside = sides.flatMap(({ name, label }) => {
    const ratios = runs.flatMap(({ figures, floorBytes }) => {
      const bytes = figures[name]?.bytes;
      return bytes === undefined ? [] : [bytes / floorBytes];
    });
    return ratios.length === 0 ? [] : [`${label} ${digits(median(ratios))}×`];
  });
  const sync = digits(median(runs.map(({ syncP50 }) => syncP50)));
  const insert = digits(median(runs.map(({ insertP50 }) => insertP50)));
  const most = digits(median(runs.map(({ figures, insertP50 }) => (figures[BASE]?.saveP50 ?? Number.NaN) / insertP50)));
  return `All states together: ${all}. A pure chain of deltas would need ${floor}: ${beside.join(', ')} of that. Appending 8 KB and waiting for the disk: ${sync} ms; inserting nothing but each step's delta as a row of SQLite: ${insert} ms (${most}×), the least that a durable save there can take.`;
}

export function documentOf(all: readonly StepsRun[], sides: readonly SideKind[], conditions: Conditions): string {
  const { machine, node, sqlite, langgraph, seeds, loads, date } = conditions;
  return [
    '# Results',
    '',
    '`npm run bench` writes this file. The same steps are saved to every store in turn (who begins changes with each step), then loaded, listed and pruned in turn. In brackets: how many times better than full rows in the same run, above 1 is better. Figures are medians over the seeds, ratios are taken within each seed.',
    '',
    `Conditions: ${machine}; Node ${node}; SQLite ${sqlite}, the same driver for all; @langchain/langgraph-checkpoint-sqlite ${langgraph}; seeds ${seeds.join(', ')}; ${date}. Load average meanwhile ${loads.map(digits).join(' to ')}. Everything in SQLite runs in WAL with synchronous FULL, files with fsync, rename and fsync of the folder.`,
    '',
    ...all.flatMap((one) => [...tableOf(one, sides), '']),
    'What is measured: a save begins with the state as a value and ends when it is on the disk; `{ text }` includes `JSON.stringify`. "Then its parent" is loaded by the connection that has just loaded its child. SqliteSaver hands back values only. It has no pruning either, so a program does it by SQL; the others leave the newest in the save itself, full rows by a `DELETE` in its transaction. A – was not measured: beyond 1,000 steps, stores of whole states save a sample (100 steps), so they have no bytes and are not pruned; there, bytes are compared with the states alone.',
    '',
  ].join('\n');
}

function bytesText(bytes: number): string {
  if (bytes < 1_000_000) return `${digits(bytes / 1_000)} kB`;
  return `${bytes < 10_000_000 ? (bytes / 1_000_000).toFixed(1) : Math.round(bytes / 1_000_000).toLocaleString('en')} MB`;
}

/** Two or three digits that count. */
function digits(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  if (value >= 10) return value.toFixed(0);
  if (value >= 1) return value.toFixed(1);
  return value >= 0.1 ? value.toFixed(2) : value.toPrecision(1);
}

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '..');

/** What formats a number, an amount, a time or an id. */
const FORMATS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['toLocale…', /\.toLocale\w*String\(/],
  ['Intl', /\bIntl\./],
  ['toFixed', /\.to(?:Fixed|Precision)\(/],
  ['part of a time or an id', /\.(?:slice|substring)\((?:0, (?:[6-9]|1\d|2\d|40)|1\d, \d+)\)/],
  ['time as text', /\.to(?:ISO|Time|Date|UTC)String\(/],
  ['step number', /padStart\(2, /],
  ['bare count in text', /\$\{[\w.]*(?:\.length|[cC]ount|[tT]otal)\} [a-z]/],
  ['bare count on the page', />\s*\{[\w.]*(?:\.length|[cC]ount|[tT]otal)\}\s*</],
];

/** Files that may, each with its reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  'lib/format.ts': 'it is where things are formatted',
  'features/raw/bytes.ts': 'bytes as hexadecimal digits',
  'features/tree/Minimap.tsx': 'lengths in a path of SVG',
  'features/tree/lanes/LaneMarks.tsx': 'lengths in a path of SVG',
};

const sourceFiles = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|(?:^|\/)testing\//.test(name));

const formatsIn = (name: string): string[] => {
  const lines = readFileSync(join(SOURCES, name), 'utf8').split('\n');
  return FORMATS.flatMap(([what, pattern]) =>
    lines.flatMap((line, at) => (pattern.test(line) ? [`${relative('.', name)}:${at + 1} ${what}`] : [])),
  );
};

test('numbers, money, times and ids are formatted by lib/format.ts and nowhere else', () => {
  const found = sourceFiles.flatMap((name) => (name in ALLOWED ? [] : formatsIn(name)));
  expect(found).toEqual([]);
});

test('what may format on its own still does', () => {
  for (const name of Object.keys(ALLOWED)) expect(formatsIn(name), name).not.toEqual([]);
});

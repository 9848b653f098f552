import { InspectorError, type System, type Target } from '@checkpoint-inspector/core';
import { readHead } from '@checkpoint-inspector/io';
import { realpath } from 'node:fs/promises';
import { diarySource } from './read.ts';

const FIRST_LINE = 'diary 1\n';
const WHY_NOT = 'A diary is only read here.';

async function isDiary(target: Target): Promise<boolean> {
  if (target.kind !== 'path' || target.is !== 'file' || !target.path.endsWith('.diary')) return false;
  return new TextDecoder().decode(await readHead(target.path, FIRST_LINE.length)) === FIRST_LINE;
}

/** A made-up format that shows what a system has to do: a text file, one checkpoint per line, the newest last. */
export const diarySystem: System = {
  id: 'diary',
  label: 'Diary',
  detect: async (target) =>
    (await isDiary(target)) ? { system: 'diary', because: 'its first line', confidence: 1 } : undefined,
  async open(target, { label, location, nameStore }) {
    if (target.kind !== 'path' || !(await isDiary(target))) throw new InspectorError('no_store', "This isn't a diary.");
    const capabilities = { restore: WHY_NOT, fork: WHY_NOT, edit: WHY_NOT, delete: WHY_NOT };
    const names = { id: nameStore(label), label, location, identity: await realpath(target.path), system: 'diary' };
    const rules = { latestRule: 'the last line of the run', volatilePaths: [], indexed: { n: 1, of: 1 }, capabilities };
    return [diarySource({ ...names, ...rules }, target.path)];
  },
};

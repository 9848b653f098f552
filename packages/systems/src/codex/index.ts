import { InspectorError, type Target } from '@checkpoint-inspector/core';
import type { System } from '@checkpoint-inspector/core';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LogSource } from '../log/index.ts';
import { hasRollouts, homeOf, rolloutName } from './names.ts';
import { codexRules } from './rules.ts';

/**
 * The threads of the Codex command line: a rollout file each, of one record a line.
 * @example const [source] = await codexSystem.open(target, options);
 */
export const codexSystem: System = {
  id: 'codex',
  label: 'Codex',
  async detect(target) {
    const found = await findHome(target);
    return found && { system: 'codex', because: found.because, confidence: 0.95 };
  },
  async open(target, { label, location, nameStore }) {
    const found = await findHome(target);
    if (!found) {
      throw new InspectorError('no_store', 'There are no rollout files of Codex here.', {
        data: { lookedFor: ['sessions/*/*/*/rollout-*.jsonl'] },
      });
    }
    return [await LogSource.open({ id: nameStore(label), label, location, root: found.root }, codexRules)];
  },
};

/** A file means the home around it; a folder is one by the first rollout in it. */
async function findHome(target: Target): Promise<{ root: string; because: string } | undefined> {
  if (target.kind !== 'path') return undefined;
  const { path } = target;
  if (target.is === 'file') {
    return rolloutName(basename(path)) && { root: homeOf(dirname(path)), because: 'a rollout file of Codex' };
  }
  const found = await firstRollout(path);
  return found === undefined ? undefined : { root: homeOf(path), because: `${found} and others` };
}

async function firstRollout(root: string): Promise<string | undefined> {
  const queue = [''];
  for (let at = 0; at < queue.length; at++) {
    const folder = queue[at] ?? '';
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    const rollout = entries.find((entry) => entry.isFile() && rolloutName(entry.name));
    if (rollout) return rollout.name;
    const inside = entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => (folder === '' ? name : `${folder}/${name}`));
    // The newest day first.
    queue.push(...inside.filter(hasRollouts).toSorted().toReversed());
  }
  return undefined;
}

import { InspectorError, pathOf, type Match, type System, type Target } from '@checkpoint-inspector/core';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { textIn } from '../folder/view.ts';
import { firstTold, LogSource } from '../log/index.ts';
import { readLine } from './entries.ts';
import { isTranscript } from './files.ts';
import { transcriptRules } from './rules.ts';

interface Place {
  readonly root: string;
  readonly only?: string;
  readonly match: Omit<Match, 'system'>;
}

/** A home such as `~/.claude` under any name, its `projects`, the folder of one project, or one transcript. */
async function placeOf(target: Target): Promise<Place | undefined> {
  if (target.kind !== 'path') return undefined;
  const { path, is } = target;
  if (is === 'file') {
    if (!path.endsWith('.jsonl') || !(await isSession(path))) return undefined;
    return {
      root: dirname(path),
      only: basename(path),
      match: { because: 'a transcript of Claude Code', confidence: 0.95 },
    };
  }
  for (const root of [join(path, 'projects'), path]) {
    if (!(await hasSession(root))) continue;
    return { root, match: { because: 'transcripts of Claude Code', confidence: 0.95, place: root, isWhole: true } };
  }
  return undefined;
}

async function hasSession(root: string): Promise<boolean> {
  const projects = await namesIn(root);
  for (const folder of ['', ...projects]) {
    const files = folder === '' ? projects : await namesIn(join(root, folder));
    for (const name of files.filter(isTranscript)) if (await isSession(join(root, folder, name))) return true;
  }
  return false;
}

const namesIn = (path: string): Promise<string[]> =>
  readdir(path).then(
    (names) => names.toSorted(),
    () => [],
  );

/** Lines of a conversation name the session, themselves and what they follow. Bookkeeping may come first. */
async function isSession(path: string): Promise<boolean> {
  const isOne = await firstTold(path, ({ bytes }) => {
    const { type, record, entry } = lineIn(bytes) ?? {};
    if (type === undefined) return undefined;
    if (entry && 'parentUuid' in entry.record && textIn(entry.record, 'sessionId') !== undefined) return true;
    return record && type !== '' && !('payload' in record) ? undefined : false;
  });
  return isOne ?? false;
}

function lineIn(bytes: Buffer): ReturnType<typeof readLine> | undefined {
  try {
    return readLine(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Claude Code: one transcript per session, which is only read.
 * @example const [source] = await claudeCodeSystem.open(target, options);
 */
export const claudeCodeSystem: System = {
  id: 'claude-code',
  label: 'Claude Code',
  async detect(target) {
    const place = await placeOf(target);
    return place && { system: 'claude-code', ...place.match };
  },
  async open(target, { label, location, nameStore }) {
    const place = await placeOf(target);
    if (!place) {
      const { path } = pathOf(target);
      throw new InspectorError('no_store', `"${path}" contains no transcripts of Claude Code.`, { data: { path } });
    }
    const { root, only } = place;
    return [await LogSource.open({ root, id: nameStore(label), label, location }, transcriptRules(only))];
  },
};

import { InspectorError, pathOf, type Match, type System, type Target } from '@checkpoint-inspector/core';
import { readHead } from '@checkpoint-inspector/io';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LogSource } from '../log/index.ts';
import { isTranscript } from './files.ts';
import { transcriptRules } from './rules.ts';

const HEAD_BYTES = 64 * 1024;
/** Files read before a folder of others is skipped. */
const TRIED_FILES = 20;

interface Place {
  readonly root: string;
  readonly only?: string;
  readonly match: Omit<Match, 'system'>;
}

/** `~/.claude`, its `projects`, the folder of one project, or one transcript. */
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
  const root = basename(path) === '.claude' ? join(path, 'projects') : path;
  let tried = 0;
  const projects = await namesIn(root);
  for (const folder of ['', ...projects]) {
    const files = folder === '' ? projects : await namesIn(join(root, folder));
    for (const name of files.filter(isTranscript)) {
      if (++tried > TRIED_FILES) return undefined;
      if (await isSession(join(root, folder, name)))
        return { root, match: { because: 'transcripts of Claude Code', confidence: 0.95, place: root, isWhole: true } };
    }
  }
  return undefined;
}

const namesIn = (path: string): Promise<string[]> =>
  readdir(path).then(
    (names) => names.toSorted(),
    () => [],
  );

/** Lines of a conversation name the session, themselves and what they follow. Bookkeeping may come first. */
async function isSession(path: string): Promise<boolean> {
  const head = Buffer.from(await readHead(path, HEAD_BYTES).catch(() => new Uint8Array())).toString();
  return (
    head.startsWith('{') && head.includes('"sessionId"') && head.includes('"parentUuid"') && head.includes('"uuid"')
  );
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

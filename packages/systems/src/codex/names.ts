/** How Codex names its rollout files: `rollout-<local time>-<thread>[_<segment>].jsonl`, perhaps compressed. */
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const ROLLOUT = new RegExp(`(?:^|/)rollout-[^/]*?(${UUID})(?:_(${UUID}))?\\.jsonl(?:\\.zst)?$`);
const DAY = /^\d{2,4}$/;

export interface RolloutName {
  readonly thread: string;
  /** Of a thread that was reverted: what followed then is in a file of its own. */
  readonly segment?: string;
}

/** @example rolloutName('rollout-2026-11-22T02-34-41-01a2011b-128f-75e0-a82e-d130fcd32dc4.jsonl')?.thread */
export function rolloutName(name: string): RolloutName | undefined {
  const [, thread, segment] = ROLLOUT.exec(name) ?? [];
  if (thread === undefined) return undefined;
  return { thread, ...(segment === undefined ? {} : { segment }) };
}

export const ARCHIVE = 'archived_sessions';
export const SESSIONS = 'sessions';

/** Folders that rollouts are in: by year, month and day. */
export function hasRollouts(name: string): boolean {
  const [first = '', ...rest] = name.split('/');
  return (first === SESSIONS || first === ARCHIVE || DAY.test(first)) && rest.every((part) => DAY.test(part));
}

/** The home of Codex that a folder inside is of; the folder itself where it is none. @example homeOf('/h/sessions/2026') // '/h' */
export function homeOf(path: string): string {
  return path.replace(new RegExp(`/(?:${SESSIONS}(?:/\\d{2,4}){0,3}|${ARCHIVE})/?$`), '') || '/';
}

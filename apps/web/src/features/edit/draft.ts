/** Drafts of edits: kept in this browser for a day, so that a reload loses nothing. */

export interface DraftPlace {
  /** Where the store is, else its id. */
  readonly location: string;
  readonly task: string;
  readonly namespace: string | undefined;
  readonly id: string;
  /** Of the state that is edited: after a save under the same id the draft is of another state. */
  readonly hash: string;
}

export interface Draft {
  readonly text: string;
  readonly reason: string;
}

const PREFIX = 'checkpoint-inspector.draft ';
const keyOf = ({ location, task, namespace, id, hash }: DraftPlace): string =>
  PREFIX + JSON.stringify([location, task, namespace ?? '', id, hash]);

/** A draft is a whole state, unmasked, and browsers write it to disk. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * `storage` absent: in memory only, for stores that had to be unlocked.
 * @example createDrafts(localStorage).keep(place, { text: '{}', reason: '' })
 */
export function createDrafts(storage?: Storage) {
  const memory = new Map<string, Draft>();
  const drop = (key: string): void => {
    memory.delete(key);
    storage?.removeItem(key);
  };
  return {
    read: (place: DraftPlace) => memory.get(keyOf(place)) ?? parse(storage?.getItem(keyOf(place)) ?? null),
    /** False where the browser has no room: the draft then lives as long as the page. */
    keep(place: DraftPlace, draft: Draft): boolean {
      memory.set(keyOf(place), draft);
      try {
        storage?.setItem(keyOf(place), JSON.stringify([draft.text, draft.reason, Date.now()]));
        return storage !== undefined;
      } catch {
        storage?.removeItem(keyOf(place));
        return false;
      }
    },
    drop: (place: DraftPlace): void => drop(keyOf(place)),
    /** Those of a store that is closed. */
    dropStore(location: string): void {
      const start = `${PREFIX}${JSON.stringify([location]).slice(0, -1)},`;
      for (const key of [...memory.keys(), ...Object.keys(storage ?? {})]) if (key.startsWith(start)) drop(key);
    },
    /** Those that are older than a day, also of stores that nobody opens again. */
    sweep(): void {
      for (const key of Object.keys(storage ?? {}))
        if (key.startsWith(PREFIX) && parse(storage?.getItem(key) ?? null) === undefined) storage?.removeItem(key);
    },
  };
}

function parse(stored: string | null): Draft | undefined {
  try {
    const value: unknown = JSON.parse(stored ?? 'null');
    if (!Array.isArray(value)) return undefined;
    const [text, reason, keptAt] = value as unknown[];
    if (typeof keptAt !== 'number' || Math.abs(Date.now() - keptAt) > KEPT_MS) return undefined;
    return typeof text === 'string' && typeof reason === 'string' ? { text, reason } : undefined;
  } catch {
    return undefined;
  }
}

function browserStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

export const drafts = createDrafts(browserStorage());
/** Text that was encrypted in its store, or is a person's private work, is never written anywhere else. */
export const secretDrafts = createDrafts();

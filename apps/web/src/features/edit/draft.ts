/** Drafts of edits: kept in this browser so that a reload loses nothing. */

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

/**
 * `storage` absent: in memory only, for stores that had to be unlocked.
 * @example createDrafts(localStorage).keep(place, { text: '{}', reason: '' })
 */
export function createDrafts(storage?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) {
  const memory = new Map<string, Draft>();
  return {
    read: (place: DraftPlace) => memory.get(keyOf(place)) ?? parse(storage?.getItem(keyOf(place)) ?? null),
    /** False where the browser has no room: the draft then lives as long as the page. */
    keep(place: DraftPlace, draft: Draft): boolean {
      memory.set(keyOf(place), draft);
      try {
        storage?.setItem(keyOf(place), JSON.stringify([draft.text, draft.reason]));
        return storage !== undefined;
      } catch {
        storage?.removeItem(keyOf(place));
        return false;
      }
    },
    drop(place: DraftPlace): void {
      memory.delete(keyOf(place));
      storage?.removeItem(keyOf(place));
    },
  };
}

function parse(stored: string | null): Draft | undefined {
  try {
    const value: unknown = JSON.parse(stored ?? 'null');
    if (!Array.isArray(value)) return undefined;
    const [text, reason] = value as unknown[];
    return typeof text === 'string' && typeof reason === 'string' ? { text, reason } : undefined;
  } catch {
    return undefined;
  }
}

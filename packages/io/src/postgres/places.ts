import { InspectorError } from '@checkpoint-inspector/core';
import type { PostgresTarget } from './target.ts';

/** How an identity is reached. Kept in memory only: what is written down of a change names neither user nor password. */
export interface PostgresPlace extends PostgresTarget {
  readonly schema: string;
}

const open = new Map<string, PostgresPlace[]>();

/** As long as a database is open, changes find it by its identity. Answers what ends that. */
export function keepPlace(identity: string, place: PostgresPlace): () => void {
  open.set(identity, [...(open.get(identity) ?? []), place]);
  return () => {
    const left = (open.get(identity) ?? []).filter((one) => one !== place);
    if (left.length > 0) open.set(identity, left);
    else open.delete(identity);
  };
}

/** @throws InspectorError no_store while nobody has it open */
export function placeAt(identity: string): PostgresPlace {
  const place = open.get(identity)?.at(-1);
  if (place) return place;
  throw new InspectorError('no_store', "The database of this change isn't open.", {
    remedy: 'Open it by its address, then try again.',
    data: { place: identity },
  });
}

/** What stores are called by where they are. */
import { sep } from 'node:path';

/** Such a name says nothing and gets its folder's in front: `.kaizen/checkpoints`. */
const SAYS_NOTHING = 'checkpoints';

/**
 * The last part of a path, and as many before it as tell it from the others.
 * @example labelOf('/srv/a/agent.db', ['/srv/b/agent.db']) // 'a/agent.db'
 */
export function labelOf(path: string, others: readonly string[] = []): string {
  const parts = partsOf(path);
  const least = parts.at(-1) === SAYS_NOTHING ? 2 : 1;
  const rivals = others.filter((other) => other !== path).map(partsOf);
  for (let count = least; count < parts.length; count++) {
    const end = parts.slice(-count).join(sep);
    if (!rivals.some((rival) => rival.slice(-count).join(sep) === end)) return end;
  }
  return parts.join(sep);
}

const partsOf = (path: string): readonly string[] => path.split(sep).filter((part) => part !== '');

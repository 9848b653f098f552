import { readFileSync, statSync } from 'node:fs';

const LOOKS = 3;

/**
 * The POSIX locks that this process holds on a file, whichever thread opened it. Linux writes its list again for each
 * page that is read of it: while other processes lock, an entry may be there twice or be missed, so distinct
 * entries of several looks count.
 */
export function locksOn(path: string): number {
  const inode = `:${statSync(path).ino} `;
  const found = new Set<string>();
  for (let look = 0; look < LOOKS; look += 1) {
    for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
      if (line.includes(inode) && line.includes(` ${process.pid} `)) found.add(line.replace(/^\d+: /, ''));
    }
  }
  return found.size;
}

import { realpathSync } from 'node:fs';

/** The real path of a file or folder: the same however it was named. A path that is gone stays as it is. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

const NAME = 'checkpoint-inspector';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where the journal lives: `CHECKPOINT_INSPECTOR_STATE`, else the user's state folder of this platform.
 * @example journalFolder({ HOME: '/home/me' }, 'linux') // '/home/me/.local/state/checkpoint-inspector'
 */
export function journalFolder(env: Environment = process.env, platform: string = process.platform): string {
  const own = env['CHECKPOINT_INSPECTOR_STATE'];
  if (own) return own;
  if (platform === 'win32') {
    const local = env['LOCALAPPDATA'] ?? win32.join(env['USERPROFILE'] ?? homedir(), 'AppData', 'Local');
    return win32.join(local, NAME);
  }
  const home = env['HOME'] ?? homedir();
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', NAME);
  const state = env['XDG_STATE_HOME'];
  // The XDG rule: a relative path is ignored.
  return posix.join(state?.startsWith('/') ? state : posix.join(home, '.local', 'state'), NAME);
}

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { posix, win32 } from 'node:path';

/** Browsers that show one page as a window of its own, best first, by the name of the command on Linux. */
const COMMANDS = [
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'microsoft-edge',
  'microsoft-edge-stable',
  'brave-browser',
  'brave',
];

const MAC_APPS = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser'];

const WINDOWS_PROGRAMS = [
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Chromium', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
  ['BraveSoftware', 'Brave-Browser', 'Application', 'brave.exe'],
];
const WINDOWS_ROOTS = ['ProgramFiles', 'ProgramFiles(x86)', 'LocalAppData'];

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a browser for an app window may be, best first. */
export function appBrowsers(platform: NodeJS.Platform, env: Environment): string[] {
  if (platform === 'win32') {
    const roots = WINDOWS_ROOTS.flatMap((name) => env[name] ?? []);
    return WINDOWS_PROGRAMS.flatMap((parts) => roots.map((root) => win32.join(root, ...parts)));
  }
  if (platform === 'darwin') {
    const roots = ['/Applications', ...(env['HOME'] === undefined ? [] : [posix.join(env['HOME'], 'Applications')])];
    return MAC_APPS.flatMap((app) => roots.map((root) => posix.join(root, `${app}.app`, 'Contents', 'MacOS', app)));
  }
  // A relative part of PATH would start whatever lies in the working folder.
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  return COMMANDS.flatMap((command) => folders.map((folder) => posix.join(folder, command)));
}

/** @example appArguments('http://127.0.0.1:4600/#code=x') // ['--app=http://127.0.0.1:4600/#code=x', …] */
export function appArguments(url: string): string[] {
  return [`--app=${url}`, '--no-first-run', '--no-default-browser-check'];
}

/**
 * Opens the page as a window of its own; false where no browser for that is there.
 * Other users may read the command line, so the link must have no lasting secret.
 */
export function openAppWindow(url: string, exists: (path: string) => boolean = existsSync): Promise<boolean> {
  const browser = appBrowsers(process.platform, process.env).find(exists);
  if (browser === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(browser, appArguments(url), { detached: true, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

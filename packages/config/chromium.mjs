import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// The one without a window first: with one, each page also draws the browser's own bars, a quarter of the work.
const SYSTEM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Playwright's own browser, if it was ever downloaded. */
function playwrightChromium(root) {
  const require = createRequire(join(root, 'e2e/package.json'));
  const path = require('@playwright/test').chromium.executablePath();
  return existsSync(path) ? path : undefined;
}

/**
 * A Chromium for the browser tests: the one named, Playwright's, the system's,
 * or one installed now where that needs no question.
 */
export function findChromium({ root, say }) {
  const named = process.env['CHROMIUM_PATH'];
  if (named)
    return existsSync(named)
      ? { ok: true, path: named }
      : { ok: false, message: `CHROMIUM_PATH names ${named}, which is not there.` };
  if (playwrightChromium(root)) return { ok: true };
  const system = () => SYSTEM.find((path) => existsSync(path));
  if (system()) return { ok: true, path: system() };
  const apt = 'apt-get install -y --no-install-recommends';
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    say('Installing Chromium for the browser tests…');
    spawnSync('sh', ['-c', `apt-get update && (${apt} chromium-headless-shell || ${apt} chromium)`], {
      stdio: ['ignore', 2, 2],
    });
    if (system()) return { ok: true, path: system() };
  }
  say('Fetching a Chromium for the browser tests…');
  spawnSync('npx', ['--no-install', 'playwright', 'install', 'chromium'], {
    cwd: join(root, 'e2e'),
    stdio: ['ignore', 2, 2],
  });
  if (playwrightChromium(root)) return { ok: true };
  return {
    ok: false,
    message: `The browser tests need Chromium. Install it (on Debian: sudo ${apt} chromium) or set CHROMIUM_PATH, and run npm test again.`,
  };
}

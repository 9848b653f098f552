import { describe, expect, it } from 'vitest';
import { appArguments, appBrowsers, openAppWindow } from './app-window.ts';

describe('the app window', () => {
  it('is looked for where each platform keeps its browsers', () => {
    expect(appBrowsers('linux', { PATH: '/usr/local/bin:bin:/usr/bin' }).slice(0, 2)).toEqual([
      '/usr/local/bin/google-chrome',
      '/usr/bin/google-chrome',
    ]);
    expect(appBrowsers('linux', { PATH: '/usr/bin' })).toContain('/usr/bin/brave-browser');
    expect(appBrowsers('darwin', { HOME: '/Users/a' }).slice(0, 2)).toEqual([
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '/Users/a/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ]);
    expect(appBrowsers('win32', { ProgramFiles: String.raw`C:\Program Files` })).toContain(
      String.raw`C:\Program Files\Microsoft\Edge\Application\msedge.exe`,
    );
  });

  it('never starts what lies in the working folder, nor anything without a place', () => {
    expect(appBrowsers('linux', { PATH: '.:' })).toEqual([]);
    expect(appBrowsers('linux', {})).toEqual([]);
    expect(appBrowsers('win32', {})).toEqual([]);
  });

  it('gets the link as one argument, and no shell', () => {
    expect(appArguments('http://127.0.0.1:4600/#code=a b')).toEqual([
      '--app=http://127.0.0.1:4600/#code=a b',
      '--no-first-run',
      '--no-default-browser-check',
    ]);
  });

  it('says when there is no browser for it', async () => {
    expect(await openAppWindow('http://127.0.0.1:1/', () => false)).toBe(false);
  });
});

import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { MemoryStore, storeId } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { gather } from './gather.ts';
import { viewer, type PageAssets } from './viewer.ts';

const ASSETS: PageAssets = new Map([
  [
    'page-1.js',
    'const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["assets/a.css"])))=>i.map(i=>d[i]);import(`./Tree-1.js`)',
  ],
  ['viewer.js', 'import{b}from"../chunks/core-1.js";globalThis.ready=1'],
  ['core-1.js', 'export const b=1'],
  ['Tree-1.js', 'import{a}from"./page-1.js"'],
  ['EditRoute-1.js', 'edit'],
  ['page-1.css', 'a{color:red}'],
  ['Tree-1.css', 'b{color:blue}'],
]);

const HOSTILE = '</script><script>alert(1)</script><!--';

async function made(): Promise<string> {
  const store = new MemoryStore({ id: storeId('m') });
  const key = `sk-${'a1B2'.repeat(8)}`;
  await store.save({ task: HOSTILE, id: HOSTILE, text: JSON.stringify({ [HOSTILE]: `${HOSTILE}\u2028`, key }) });
  let html = '';
  for await (const piece of viewer([await gather(store, { task: HOSTILE })], ASSETS, { version: '1.2.3' }))
    html += piece;
  expect(html).not.toContain(key);
  return html;
}

it('stored text ends no element and begins none, and says what it said', async () => {
  const html = await made();
  expect(html.match(/<script\b/g)).toHaveLength(3);
  expect(html.match(/<\/script/g)).toHaveLength(3);
  expect(html).not.toContain('<!--');
  const data = /id="bundle">([^<]*)<\/script>/.exec(html)?.[1] ?? '';
  expect(JSON.parse(data)).toMatchObject({ redacted: true, tasks: [{ task: { id: HOSTILE } }] });
});

it('its policy allows its own script and style by their hashes, and no network', async () => {
  const html = await made();
  const policy = /Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? '';
  const hashOf = (text = '') => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`script-src ${hashOf(/<script type="module">([\s\S]*?)<\/script>/.exec(html)?.[1])} blob:`);
  expect(policy).toContain(`style-src ${hashOf(/<style>([\s\S]*?)<\/style>/.exec(html)?.[1])}`);
  expect(policy).not.toMatch(/unsafe|connect-src|https?:|\*/);
  expect(html).not.toMatch(/\ssrc=|href="(?!data:)/);
});

it('has the modules that it needs, linked by name, and the styles of the page first', async () => {
  const html = await made();
  const code = /id="code">([^<]*)</.exec(html)?.[1] ?? '';
  const modules = JSON.parse(gunzipSync(Buffer.from(code, 'base64')).toString()) as Record<string, string>;
  expect(Object.keys(modules).toSorted()).toEqual(['Tree-1.js', 'core-1.js', 'page-1.js', 'viewer.js']);
  expect(modules['page-1.js']).toMatch(/=>\[\];viewerImport\("Tree-1\.js"\)$/);
  expect(html.indexOf('color:red')).toBeLessThan(html.indexOf('color:blue'));
});

it('a page that was built differently is no page to put in a file', async () => {
  const store = new MemoryStore({ id: storeId('m') });
  await store.save({ task: 't', id: 'a', text: '{}' });
  const pieces = viewer([await gather(store, { task: 't' })], new Map([['other.js', '']]));
  await expect(pieces.next()).rejects.toMatchObject({ code: 'internal' });
});

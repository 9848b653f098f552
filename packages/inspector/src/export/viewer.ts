/** The page itself with a bundle in it, as one HTML file that opens from a disk and asks nothing of any network. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { InspectorError } from '@checkpoint-inspector/core';
import { bundle } from './bundle.ts';
import { createMasking } from '../sharing.ts';
import { escapeHtml } from './markup.ts';
import type { ExportOptions, Subject } from './types.ts';

const gzipped = promisify(gzip);

const VIEWER = 'viewer.js';
/** Of what is imported, when a module is loaded and later. */
const LINK = /(?:\b(?:from|import)\s*["'`]|\bimport\(["'`])(\.(?:[\w.]*\/)+[\w.-]+\.js)["'`]/g;

/** What a browser holds in memory at once. */
const MAX_STATE_BYTES = 64 * 1024 * 1024;

/** Built parts of the page that a file has no use for: they change stores, or belong to the demo. */
const LEFT_OUT =
  /^(EditRoute|ChangeDialog|ConfirmDialog|PruneDialog|ExportDialog|UnlockDialog|DemoRoute|AskRoute|PresenterBar|shown-worker)-/;

/** Of the built page: scripts and styles by their names. */
export type PageAssets = ReadonlyMap<string, string>;

/** @param folder of the built page @throws InspectorError unsupported, where there is none */
export async function readPage(folder: string): Promise<PageAssets> {
  const assets = join(folder, 'assets');
  const names = await readdir(assets).catch((cause: unknown) => {
    throw new InspectorError('unsupported', "The page isn't here to be put into a file.", { cause });
  });
  const wanted = names.filter((name) => /\.(?:js|css)$/.test(name)).toSorted();
  const files = await Promise.all(
    wanted.map(async (name) => [name, await readFile(join(assets, name), 'utf8')] as const),
  );
  return new Map([...files, ...(await readModules(join(folder, VIEWER)))]);
}

/** What answers in a file's page is made of the modules that answer here: they are linked by their names there. */
async function readModules(path: string, found = new Map<string, string>()): Promise<PageAssets> {
  const name = basename(path);
  if (found.has(name)) return found;
  const code = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new InspectorError('unsupported', "A part of the page isn't here to be put into a file.", { cause });
  });
  found.set(name, code);
  for (const [, link = ''] of code.matchAll(LINK)) await readModules(join(path, '..', link), found);
  return found;
}

/**
 * Piece by piece, one checkpoint at a time.
 * @throws InspectorError internal, where the page was built differently
 * @example for await (const piece of viewer([subject], assets, { version })) file.write(piece);
 */
export async function* viewer(
  subjects: readonly Subject[],
  assets: PageAssets,
  options: Omit<ExportOptions, 'task'> = {},
): AsyncGenerator<string> {
  const { script, style, code } = await partsOf(assets);
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}' blob:`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const { reveal = false, masking = createMasking() } = options;
  const { text: shown } = masking.masker({ reveal });
  const title = escapeHtml(subjects.map(({ task }) => shown(task.title)).join(', '));
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title} · Checkpoint Inspector</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="root"></div>
<noscript>Checkpoint Inspector needs JavaScript.</noscript>
<script type="text/plain" id="code">${code}</script>
<script type="application/json" id="bundle">`;
  // Inside a string of JSON `<` may be written so, and elsewhere JSON has none: no element can end or begin here.
  for await (const piece of bundle(subjects, { ...options, masking, maxBytes: MAX_STATE_BYTES }))
    yield piece.replaceAll('<', '\\u003c');
  yield `</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

async function partsOf(assets: PageAssets): Promise<{ script: string; style: string; code: string }> {
  const names = [...assets.keys()].filter((name) => !LEFT_OUT.test(name));
  const entries = [VIEWER, names.find((name) => /^page-.*\.js$/.test(name))];
  if (!assets.has(VIEWER) || entries.includes(undefined))
    throw new InspectorError('internal', 'The page is not built as the viewer expects it.');
  const modules = names.filter((name) => name.endsWith('.js'));
  const code = Object.fromEntries(modules.map((name) => [name, linked(assets.get(name) ?? '')]));
  // Styles of the whole page come before those of its parts, as when they are loaded.
  const styles = names.filter((name) => name.endsWith('.css'));
  const inOrder = styles.toSorted((a, b) => Number(b.startsWith('page-')) - Number(a.startsWith('page-')));
  const style = inOrder.map((name) => assets.get(name) ?? '').join('\n');
  return {
    script: BOOT.replace('ENTRIES', JSON.stringify(entries)),
    style: style.replaceAll('</style', String.raw`<\/style`),
    code: (await gzipped(JSON.stringify(code), { level: 9 })).toString('base64'),
  };
}

/** A module is loaded by its name, and no file is asked for beside it: all styles are there already. */
const linked = (code: string): string =>
  code
    .replaceAll(
      /\bimport\((["'`])\.(?:[\w.]*\/)+([\w.-]+\.js)\1\)/g,
      (_, __, name: string) => `viewerImport("${name}")`,
    )
    .replace(
      /(__vite__mapDeps=\(i,m=__vite__mapDeps,d=\(m\.f\|\|\(m\.f=\[[^\]]*\]\)\)\)=>)i\.map\(i=>d\[i\]\)/,
      '$1[]',
    );

/** Unpacks the modules and gives each an address of its own once what it imports has one. */
const BOOT = `
const text = document.getElementById('code').textContent;
const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
const code = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
const urls = new Map();
const urlOf = (name) => {
  if (urls.has(name)) return urls.get(name);
  if (code[name] === undefined) throw new Error('This part of the page is not in the file.');
  const linked = code[name].replaceAll(/(from|import)(\\s*)(["'\`])\\.(?:[\\w.]*\\/)+([\\w.-]+\\.js)\\3/g, (_, word, space, __, other) => word + space + JSON.stringify(urlOf(other)));
  const url = URL.createObjectURL(new Blob([linked], { type: 'text/javascript' }));
  urls.set(name, url);
  return url;
};
globalThis.viewerImport = async (name) => import(urlOf(name));
for (const name of ENTRIES) await viewerImport(name);
`;

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The toasts bring their styles as a file too; the copy in the script would become a style element. */
const toastStylesFromFile: Plugin = {
  name: 'toast-styles-from-file',
  transform(code, id) {
    if (!id.endsWith('/sonner/dist/index.mjs')) return undefined;
    const without = code.replace(/^__insertCSS\(/m, 'void (');
    if (without === code) throw new Error('sonner now injects its styles differently: see vite.config.ts');
    return { code: without, map: null };
  },
};

const NO_COLORS = `export function color() { return null; }
${['rgb', 'hsl', 'lab', 'hcl', 'lch', 'gray', 'cubehelix'].map((name) => `export { color as ${name} };`).join('\n')}`;

const NO_FOOTNOTES =
  'const none = () => ({}); export { none as gfmFootnoteFromMarkdown, none as gfmFootnoteToMarkdown };';

const NO_FOOTER = `const none = () => undefined;
export { none as footer, none as defaultFootnoteBackContent, none as defaultFootnoteBackLabel };`;

/** What libraries bring for other programs. */
const LEFT_OUT: readonly (readonly [string, string])[] = [
  // The typed client can send cookies; this page has none, and their code would be a part of the first screen.
  ['/hono/dist/utils/cookie.js', "export const serialize = () => { throw new Error('The page sends no cookies.'); };"],
  // Chat reads Markdown and never writes it; the writers of GitHub's extensions look at these when they write.
  ['/mdast-util-to-markdown/index.js', 'export const defaultHandlers = {};'],
  ['/markdown-table/index.js', 'export const markdownTable = () => undefined;'],
  // Its texts have no path, as files have.
  ['/vfile/lib/minpath.browser.js', "export const minpath = { sep: '/' };"],
  // Markdown becomes elements of HTML; drawings never come from it.
  ['/property-information/lib/svg.js', "export { html as svg } from './html.js';"],
  // No element of it has a style of its own.
  ['/style-to-object/esm/index.mjs', 'export default () => null;'],
  // A message has no footnotes: what looks like one stays as it is written, and no link leads to an end of a page.
  ['/micromark-extension-gfm-footnote/lib/syntax.js', 'export const gfmFootnote = () => ({});'],
  ['/mdast-util-gfm-footnote/lib/index.js', NO_FOOTNOTES],
  ['/mdast-util-to-hast/lib/footer.js', NO_FOOTER],
  // Every browser that shows this page can do it itself.
  ['/@ungap/structured-clone/esm/index.js', 'export default (value) => structuredClone(value);'],
  // React has it itself since 18, and then this one hands it on.
  [
    '/use-sync-external-store-shim.production.js',
    "exports.useSyncExternalStore = require('react').useSyncExternalStore;",
  ],
  // The tree moves and zooms its view; no colour changes on the way.
  ['/d3-color/dist/d3-color.mjs', NO_COLORS],
];
const NOT_OF_TRANSITIONS =
  'select selectAll selectChild selectChildren filter merge attr attrTween style styleTween text textTween remove delay easeVarying end';
const NOT_OF_SELECTIONS =
  'selectAll selectChild selectChildren data enter exit join merge order sort attr classed text html raise lower append insert remove clone dispatch';
const membersOf = (names: string): RegExp => new RegExp(`^ {2}(?:${names.replaceAll(' ', '|')}): [\\w.]+,\\n`, 'gm');

/** Parts of modules that nothing here uses and that only a list of all parts keeps in. */
const PARTS: readonly (readonly [module: string, part: RegExp, less: string])[] = [
  // A view is moved and zoomed: a transition of its own kind, in which no element changes and none comes or goes.
  ['/d3-transition/dist/d3-transition.mjs', membersOf(NOT_OF_TRANSITIONS), ''],
  ['/d3-selection/dist/d3-selection.mjs', membersOf(NOT_OF_SELECTIONS), ''],
  // A view is moved the shortest way and never evenly, which would take all that can be put between two values.
  [
    '/@xyflow/system/dist/esm/index.js',
    /^import \{ interpolateZoom, interpolate \} from/m,
    'const interpolate = undefined;\nimport { interpolateZoom } from',
  ],
  // The writers of GitHub's extensions.
  ['/remark-gfm/lib/index.js', /^ {2}toMarkdownExtensions\.push\(gfmToMarkdown\(settings\)\)\n/m, ''],
  // The boxes of the tree stay where they are.
  ['/d3-drag/dist/d3-drag.mjs', /^export \{ drag, /m, 'const none = () => undefined;\nexport { none as drag, '],
];
const withoutUnused: Plugin = {
  name: 'without-unused',
  load: (id) => LEFT_OUT.find(([module]) => id.endsWith(module))?.[1],
  transform(code, id) {
    const [, part, less = ''] = PARTS.find(([module]) => id.endsWith(module)) ?? [];
    if (part === undefined) return undefined;
    const without = code.replace(part, less);
    if (without === code) throw new Error(`${id} has changed: see vite.config.ts`);
    return { code: without, map: null };
  },
};

/** Lists the modules of packages that are in the page, so that the published package can carry their licences. */
const listBundled: Plugin = {
  name: 'list-bundled',
  apply: 'build',
  generateBundle(_, bundle) {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const ids = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
    const ofPackages = ids.filter((id) => id.includes('/node_modules/')).map((id) => relative(root, id));
    this.emitFile({ type: 'asset', fileName: 'bundled.json', source: JSON.stringify(ofPackages.toSorted()) });
  },
};

const own = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [react(), toastStylesFromFile, withoutUnused, listBundled],
  resolve: {
    alias: [
      { find: 'react-style-singleton', replacement: own('src/lib/adopted-styles.ts') },
      { find: '../createLucideIcon.mjs', replacement: own('src/lib/light-icon.ts') },
    ],
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': 'http://127.0.0.1:4600' },
  },
  build: {
    outDir: 'dist',
    target: 'es2023',
    // The policy of the served page allows no data: scripts; fonts and images stay files as well.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        chunkFileNames: 'assets/[name]-[hash:7].js',
        // What the first screen needs is one file: it compresses better than fifty, and is asked for once. It names all
        // others, so that icons and the parts of menus and dialogs are one file each, too.
        codeSplitting: {
          groups: [
            { name: 'page', tags: ['$initial'], priority: 1 },
            { name: 'icons', test: /\/lucide-react\// },
            { name: 'overlays', test: /\/(?:@radix-ui|radix-ui|@floating-ui|aria-hidden|react-remove-scroll)/ },
          ],
        },
      },
    },
  },
});

import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The toasts bring their styles as a file too; the copy in the script would become a style element. */
const toastStylesFromFile: Plugin = {
  name: 'toast-styles-from-file',
  transform(code, id) {
    if (!id.endsWith('/sonner/dist/index.mjs')) return undefined;
    const without = code.replace(/^__insertCSS\(/m, 'void (');
    if (without === code) throw new Error('sonner injects its styles in another way now: see vite.config.ts');
    return { code: without, map: null };
  },
};

export default defineConfig({
  plugins: [react(), toastStylesFromFile],
  resolve: {
    alias: { 'react-style-singleton': fileURLToPath(new URL('src/lib/adoptedStyles.ts', import.meta.url)) },
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
  },
});

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/**
 * What answers in the page when it is a file. A build of its own: what it needs of core would else be a part of the
 * first screen, which everyone loads.
 */
export default defineConfig({
  publicDir: false,
  build: {
    outDir: 'dist/assets',
    emptyOutDir: false,
    target: 'es2023',
    rolldownOptions: {
      input: fileURLToPath(new URL('src/lib/viewer/start.ts', import.meta.url)),
      output: { codeSplitting: false, entryFileNames: 'viewer-[hash].js' },
    },
  },
});

import { QueryClientProvider } from '@tanstack/react-query';
import { createHashHistory, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { answerFrom } from './lib/http.ts';
import { isLive } from './lib/live.ts';
import { createQueryClient, whenQuiet } from './lib/queries.ts';
import { refresh } from './lib/refresh.ts';
import { hasCode, needNoToken, shareToken, takeCodeFromFragment, takeTokenFromFragment } from './lib/token.ts';
import { viewerOfPage } from './lib/viewer/page.ts';
import { createAppRouter, TreePage, WorkbenchPage } from './routes/router.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './components/components.css';

// As a file the page has no server: what is in it answers, and where it is, is in the fragment.
const viewer = viewerOfPage();
if (viewer !== undefined) {
  answerFrom(viewer.fetch);
  needNoToken();
}

// Before the router reads the address: the token must never reach the history.
await takeTokenFromFragment();
if (hasCode()) await takeCodeFromFragment();
if (viewer === undefined) await shareToken(isLive);
const client = createQueryClient();
const router = createAppRouter(client, viewer && createHashHistory());
const host = document.getElementById('root');
if (host === null) throw new Error('The page has no element with the id "root".');

// A link with a new token, pasted into this tab, changes only the fragment.
window.addEventListener('hashchange', () => {
  if (!location.hash.includes('token=')) return;
  void takeTokenFromFragment().then((isNew) => (isNew ? refresh(client) : undefined));
});

createRoot(host).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
if (viewer === undefined) registerForInstall();
// The pages that most ways lead to, one after the other.
whenQuiet(client, [
  async () => {
    await WorkbenchPage.preload?.();
    await TreePage.preload?.();
  },
  // With the server away it can't be loaded; the next visit sweeps.
  () => import('./features/edit/draft.ts').then(({ drafts }) => drafts.sweep()).catch(() => undefined),
]);

/** Lets the browser offer to install the page. The worker behind it keeps no data and answers nothing by itself. */
function registerForInstall(): void {
  if (!('serviceWorker' in navigator)) return;
  // Where it is not allowed, as in a private window, the page is the same without it.
  void navigator.serviceWorker.register('/sw.js').catch(() => undefined);
}

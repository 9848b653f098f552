import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { Toaster } from '../../components/index.ts';
import { startLive } from '../../lib/live.ts';
import { whenIdle } from '../../lib/idle.ts';
import { useKeys } from '../../lib/keys.ts';
import { usePresenting } from '../../lib/presenting.ts';
import { tasksQuery } from '../../lib/queries.ts';
import { isRefused, onTokenChange } from '../../lib/token.ts';
import { ChangeDialogsProvider } from '../change/index.tsx';
import { askExport, useAskedExport } from '../export/ask.ts';
import { askUnlock, useAskedStore } from '../unlock/ask.ts';
import { Announcer } from './Announcer.tsx';
import { StaleStrip } from './StaleStrip.tsx';
import { TopBar } from './TopBar.tsx';
import { Unauthorised } from './Unauthorised.tsx';
import './shell.css';

const loadPalette = () => import('./Palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const KeySheet = lazy(async () => ({ default: (await import('./KeySheet.tsx')).KeySheet }));
const ExportDialog = lazy(async () => ({ default: (await import('../export/ExportDialog.tsx')).ExportDialog }));
const PresenterBar = lazy(async () => ({ default: (await import('../presenter/PresenterBar.tsx')).PresenterBar }));
const UnlockDialog = lazy(async () => ({ default: (await import('../unlock/UnlockDialog.tsx')).UnlockDialog }));

/** The frame of every page: bar, stale strip, content, palette, key sheet, dialogs, messages. */
export function Shell() {
  const refused = useSyncExternalStore(onTokenChange, isRefused);
  if (refused) return <Unauthorised />;
  return (
    <ChangeDialogsProvider>
      <SignedIn />
    </ChangeDialogsProvider>
  );
}

function SignedIn() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'palette' | 'keys'>();
  const locked = useAskedStore();
  const exporting = useAskedExport();
  const presenting = usePresenting();
  const leaveGoneTask = useLeaveGoneTask();
  useEffect(() => startLive(client), [client]);
  // So that the first letters typed into it are not lost.
  useEffect(() => whenIdle(loadPalette), []);
  useKeys({
    'g t': () => void navigate({ to: '/tasks' }),
    'g f': () => void navigate({ to: '/search' }),
    'g e': () => void navigate({ to: '/errors' }),
    'g i': () => void navigate({ to: '/inbox' }),
    'g u': () => void navigate({ to: '/usage' }),
    'g a': () => void navigate({ to: '/activity' }),
    'g s': () => void navigate({ to: '/storage' }),
    'g o': () => void navigate({ to: '/stores' }),
    'g x': () => void navigate({ to: '/trash' }),
    'g ,': () => void navigate({ to: '/settings' }),
    'Ctrl+k': () => setOpen('palette'),
    '?': () => setOpen('keys'),
  });
  const close = (): void => setOpen(undefined);
  return (
    <div className="shell">
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <TopBar onPalette={() => setOpen('palette')} onKeys={() => setOpen('keys')} />
      <StaleStrip />
      <main id="content" className="shell-content" tabIndex={-1}>
        <Outlet />
      </main>
      <Suspense>
        {open === 'palette' && <Palette open onClose={close} onKeys={() => setOpen('keys')} />}
        {open === 'keys' && <KeySheet open onClose={close} />}
        {locked !== undefined && (
          <UnlockDialog store={locked} onClose={() => askUnlock(undefined)} onUnlocked={() => void leaveGoneTask()} />
        )}
        {exporting !== undefined && <ExportDialog target={exporting} onClose={() => askExport(undefined)} />}
        {presenting && <PresenterBar />}
      </Suspense>
      <Announcer />
      <Toaster />
    </div>
  );
}

/** A task of locked files is gone once they say whose they are: then the tasks of the store are shown. */
function useLeaveGoneTask(): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { store, task } = useParams({ strict: false });
  return async () => {
    document.getElementById('content')?.focus();
    if (store === undefined || task === undefined) return;
    const { items } = await client.fetchQuery({ ...tasksQuery(), staleTime: 0 });
    if (!items.some((one) => one.store === store && one.id === task))
      await navigate({ to: '/tasks', search: { store: [store] }, replace: true });
  };
}

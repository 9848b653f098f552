import { PAGES } from './actions.ts';
import type { Task } from '@checkpoint-inspector/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { onDemand, preloadMenus, showMessage, useMessage } from '../../components/index.ts';
import { startLive, useConnection } from '../../lib/live.ts';
import { useNow } from '../../lib/hooks.ts';
import { useKeys } from '../../lib/keys.ts';
import { usePresenting } from '../../lib/presenting.ts';
import { maskingQuery, storesQuery, tasksQuery, whenQuiet } from '../../lib/queries.ts';
import { isRefused, onTokenChange } from '../../lib/token.ts';
import { ChangeDialogsProvider } from '../change/index.tsx';
import { announce, askExport, useAskedExport, useSaid } from '../../lib/signal.ts';
import { askUnlock, useAskedStore } from '../unlock/ask.tsx';
import { TopBar } from './TopBar.tsx';
import { noteStores, setMasking, useShown } from '../../lib/masking.ts';
import { formatClock } from '../../lib/format.ts';
import { isFile } from '../../lib/viewer/page.ts';
import './shell.css';

const Palette = onDemand(async () => (await import('./Palette.tsx')).Palette);
const Messages = onDemand(async () => (await import('../../components/ToastRegion.tsx')).ToastRegion, <PlainMessage />);
const Unauthorised = onDemand(async () => (await import('./Unauthorised.tsx')).Unauthorised);
const KeySheet = onDemand(async () => (await import('./KeySheet.tsx')).KeySheet);
const ExportDialog = onDemand(async () => (await import('../export/ExportDialog.tsx')).ExportDialog);
const PresenterBar = onDemand(async () => (await import('../presenter/PresenterBar.tsx')).PresenterBar);
const UnlockDialog = onDemand(async () => (await import('../unlock/UnlockDialog.tsx')).UnlockDialog);

/** A message whose code has not come: that the server is away is said without it. */
function PlainMessage() {
  const message = useMessage();
  return (
    <div className="toast-plain" role="status">
      {message?.render(() => showMessage(undefined))}
    </div>
  );
}

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
  useDropped(async (file) => (await import('../stores/open-bundle.ts')).openBundle(file, client, navigate));
  useEffect(() => startLive(client), [client]);
  const { data: stores } = useQuery(storesQuery());
  useEffect(() => noteStores(stores), [stores]);
  const { data: masking } = useQuery(maskingQuery());
  useEffect(() => {
    if (masking) setMasking(masking);
  }, [masking]);
  const message = useMessage();
  // So that the first letters typed into the palette are not lost, and a message needs no server.
  useEffect(() => whenQuiet(client, [preloadMenus, Messages.preload, Palette.preload]), [client]);
  useKeys({
    ...Object.fromEntries(PAGES.map(({ kbd, to }) => [kbd, () => void navigate({ to })])),
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
      {open === 'palette' && <Palette open onClose={close} onKeys={() => setOpen('keys')} />}
      {open === 'keys' && <KeySheet open onClose={close} />}
      {locked !== undefined && (
        <UnlockDialog store={locked} onClose={() => askUnlock(undefined)} onUnlocked={() => void leaveGoneTask()} />
      )}
      {exporting !== undefined && <ExportDialog target={exporting} onClose={() => askExport(undefined)} />}
      {/* Before the bar: while a scene is shown its messages are a row above the words. */}
      {message && <Messages message={message} />}
      {presenting && <PresenterBar />}
      <Announcer />
    </div>
  );
}

/** A file may be dropped anywhere on the page; what else is dragged, such as a text into a field, is left alone. */
function useDropped(open: (file: File) => Promise<void>): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const take = (event: DragEvent): void => {
      if (isFile() || !event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      const file = event.type === 'drop' ? event.dataTransfer.files[0] : undefined;
      if (file) void latest.current(file);
    };
    for (const type of ['dragover', 'drop'] as const) addEventListener(type, take);
    return () => {
      for (const type of ['dragover', 'drop'] as const) removeEventListener(type, take);
    };
  }, []);
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

/** An agent may save many times a second; a reader wants to hear of it now and then. */
const GATHER_MS = 4000;

/** The polite live region: what was announced, and checkpoints that are new or have failed. */
function Announcer() {
  const said = useSaid();
  const shown = useShown();
  useNews();
  return (
    <div role="status" aria-live="polite" className="sr-only" data-testid="announcer">
      <span key={said.turn}>{shown(said.text)}</span>
    </div>
  );
}

function useNews(): void {
  const tasks = useQuery(tasksQuery()).data?.items;
  const told = useRef<readonly Task[]>(undefined);
  const newest = useRef(tasks);
  newest.current = tasks;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    told.current ??= tasks;
    if (tasks === told.current || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      const [before, now] = [told.current ?? [], newest.current ?? []];
      told.current = newest.current;
      // Without an answer, the strip says that the server is away.
      announceNews(before, now).catch(() => undefined);
    }, GATHER_MS);
  }, [tasks]);
  useEffect(() => () => clearTimeout(timer.current), []);
}

async function announceNews(before: readonly Task[], now: readonly Task[]): Promise<void> {
  const { newsOf } = await import('./news.ts');
  const news = newsOf(before, now);
  if (news !== undefined) announce(news);
}

/** Said under the bar while the server does not answer; the data stays. */
function StaleStrip() {
  const connection = useConnection();
  return (
    <div role="status" aria-live="polite">
      {connection.state === 'stale' && <Strip since={connection.since} retryAt={connection.retryAt} />}
    </div>
  );
}

function Strip({ since, retryAt }: { readonly since: number; readonly retryAt: number }) {
  const now = useNow(1000);
  const seconds = Math.max(0, Math.ceil((retryAt - now) / 1000));
  return (
    <div className="stale-strip" data-testid="stale">
      <span>
        Server stopped {formatClock(new Date(since))},{' '}
        <span aria-hidden="true">{seconds === 0 ? 'trying again now' : `retrying in ${seconds} s`}</span>
      </span>
      <span className="muted">What you see was read before that.</span>
    </div>
  );
}

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
import { tasksQuery, whenQuiet } from '../../lib/queries.ts';
import { isRefused, onTokenChange } from '../../lib/token.ts';
import { ChangeDialogsProvider } from '../change/index.tsx';
import { announce, askExport, useAskedExport, useSaid } from '../../lib/signal.ts';
import { askUnlock, useAskedStore } from '../unlock/ask.tsx';
import { TopBar } from './TopBar.tsx';
import { useShown } from '../../lib/masking.ts';
import { formatClock, plural, showId } from '../../lib/format.ts';
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
  useEffect(() => startLive(client), [client]);
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
      const news = newsOf(told.current ?? [], newest.current ?? []);
      told.current = newest.current;
      if (news !== undefined) announce(news);
    }, GATHER_MS);
  }, [tasks]);
  useEffect(() => () => clearTimeout(timer.current), []);
}

// What happened to the tasks since they were last looked at, in one breath.

/** Tasks that are named; the rest is counted. */
const NAMED = 3;

/** Failures first; nothing where nothing is worth saying. @example 'invoice failed: API timeout. soak: 4 new checkpoints.' */
export function newsOf(before: readonly Task[], now: readonly Task[]): string | undefined {
  const keyOf = (task: Task): string => `${task.store}/${task.id}`;
  const known = new Map(before.map((task) => [keyOf(task), task]));
  const failed: string[] = [];
  const saved: string[] = [];
  for (const task of now) {
    const old = known.get(keyOf(task));
    const name = showId(task.title);
    const more = task.checkpointCount - (old?.checkpointCount ?? 0);
    if (task.status === 'failed' && old?.status !== 'failed') {
      failed.push(`${name} failed${task.lastError === undefined ? '' : `: ${task.lastError}`}.`);
    } else if (more > 0) saved.push(`${name}: ${plural(more, 'new checkpoint')}.`);
  }
  const all = [...failed, ...saved];
  if (all.length === 0) return undefined;
  const rest = all.length - NAMED;
  return [...all.slice(0, NAMED), ...(rest > 0 ? [`${plural(rest, 'other task')} changed.`] : [])].join(' ');
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

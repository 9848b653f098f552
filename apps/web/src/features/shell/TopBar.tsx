import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Database, Ellipsis, Eye, EyeOff, FileText, Lock, Pencil, Presentation, Search } from 'lucide-react';
import { setTheme, type Theme, THEMES, useTheme } from '../../lib/settings.ts';
import { PAGES } from './actions.ts';
import { inboxQuery, proposalsQuery, statusQuery, tasksQuery, useStore, useTaskTitle } from '../../lib/queries.ts';
import { Badge, Icon, IconButton, Kbd, Menu, type MenuItem, StatusIcon, Tooltip } from '../../components/index.ts';
import { formatCount, formatTime, plural, showId } from '../../lib/format.ts';
import { useMedia } from '../../lib/hooks.ts';
import { useConnection } from '../../lib/live.ts';
import { isFile } from '../../lib/viewer/page.ts';
import { countOf, listed } from '../tasks/facets.ts';
import { setRevealed, useRevealed } from '../../lib/masking.ts';

interface TopBarProps {
  readonly onPalette: () => void;
  readonly onKeys: () => void;
}

export function TopBar({ onPalette, onKeys }: TopBarProps) {
  return (
    <header className="top-bar">
      <Place />
      <button
        type="button"
        className="find"
        aria-label="Find tasks, checkpoints, actions"
        onClick={onPalette}
        data-testid="open-palette"
      >
        <Icon of={Search} />
        <span className="find-text">Find tasks, checkpoints, actions</span>
        <Kbd>Ctrl K</Kbd>
      </button>
      <div className="top-right">
        {isFile() ? <FromFile /> : <Live />}
        <FailedCount />
        <MaskToggle />
        {!isFile() && <ChangesAllowed />}
        <ThemeMenu />
        <MoreMenu />
        <IconButton className="keys-button" label="Keys" icon={<Kbd>?</Kbd>} onClick={onKeys} />
      </div>
    </header>
  );
}

function Place() {
  const { store, task } = useParams({ strict: false });
  const info = useStore(store);
  return (
    <div className="place">
      <Link to="/tasks" aria-label="Checkpoint Inspector, all tasks" className="place-home">
        <Mark />
      </Link>
      {store === undefined || task === undefined ? (
        <nav className="place-links" aria-label="Pages">
          {PAGES.filter((page) => 'inBar' in page).map(({ to, label }) =>
            to === '/inbox' ? (
              <InboxLink key={to} />
            ) : (
              <Link key={to} to={to} className="place-link">
                {label}
              </Link>
            ),
          )}
        </nav>
      ) : (
        <nav className="crumbs" aria-label="Place">
          <Link to="/tasks" search={{ store: [store] }} className="crumb-store muted">
            <Icon of={Database} />
            <span className="cut" title={info?.location}>
              {info?.label ?? store}
            </span>
          </Link>
          <span className="muted crumb-slash">/</span>
          <TaskCrumb store={store} task={task} />
          {info && (
            <span className="crumb-system">
              <Badge tone="quiet">{info.system}</Badge>
            </span>
          )}
        </nav>
      )}
    </div>
  );
}

function TaskCrumb({ store, task }: { readonly store: string; readonly task: string }) {
  const title = showId(useTaskTitle(store, task));
  const id = showId(task);
  return (
    <h1 className="cut" title={title === id ? id : `${title}\n${id}`}>
      {title}
    </h1>
  );
}

function Live() {
  const connection = useConnection();
  const words = { live: 'Live', connecting: 'Connecting', stale: 'Stopped' }[connection.state];
  return (
    <span className="live" data-testid="live" data-state={connection.state} title={words}>
      <span className="top-word">{words}</span>
    </span>
  );
}

/** In place of whether the server answers and what it allows. */
function FromFile() {
  const made = useQuery(statusQuery()).data?.startedAt;
  const title = `This page is a file${made ? `, made ${formatTime(made)}` : ''}. It is read-only and needs no network.`;
  return (
    <span className="changes-allowed" data-testid="from-file" title={title}>
      <Icon of={FileText} />
      <span className="top-word">Read-only file</span>
    </span>
  );
}

const COUNTED = [
  ['failed', 'failed', 'failed task'],
  ['check_failed', 'check failed', 'failed check'],
] as const;

function FailedCount() {
  const tasks = listed(useQuery(tasksQuery()).data?.items ?? [], undefined);
  return COUNTED.map(([status, word, title]) => {
    const count = countOf(tasks, status);
    if (count === 0) return null;
    return (
      <Link
        key={status}
        to="/tasks"
        search={{ status: [status] }}
        className="top-failed"
        data-status={status}
        title={plural(count, title)}
      >
        <StatusIcon status={status} size={14} />
        {count} <span className="top-word">{word}</span>
      </Link>
    );
  });
}

function ChangesAllowed() {
  const status = useQuery(statusQuery());
  if (status.data === undefined) return null;
  const { readOnly } = status.data;
  return (
    <span
      className="changes-allowed"
      data-testid="mode"
      title={readOnly ? 'Started with --read-only' : 'Restore, fork and delete are allowed'}
    >
      <span className="separator" />
      <Icon of={readOnly ? Lock : Pencil} />
      <span className="top-word">{readOnly ? 'Read-only' : 'Changes allowed'}</span>
    </span>
  );
}

const themeItems = (current: Theme): MenuItem[] =>
  THEMES.map(([theme, label]) => ({ label, checked: theme === current, onSelect: () => setTheme(theme) }));

function HalfDisc() {
  return (
    <svg className="icon half-disc" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" />
    </svg>
  );
}

function ThemeMenu() {
  const theme = useTheme();
  return (
    <Menu
      label="Theme"
      align="end"
      groups={[themeItems(theme)]}
      trigger={
        <button type="button" className="btn ghost only-icon theme-button" aria-label="Theme" title="Theme">
          <HalfDisc />
        </button>
      }
    />
  );
}

/** Pages and themes that do not fit into the bar. */
function MoreMenu() {
  const theme = useTheme();
  const navigate = useNavigate();
  const narrow = useMedia('(max-width: 799px)');
  const demo = useQuery(statusQuery()).data?.demo ?? false;
  const pages: MenuItem[] = [
    ...PAGES.map(({ to, label, icon, kbd }) => ({
      label: to === '/tasks' ? 'All tasks' : label,
      icon,
      kbd,
      onSelect: () => void navigate({ to }),
    })),
    ...(demo ? [{ label: 'Demo', icon: Presentation, onSelect: () => void navigate({ to: '/demo' }) }] : []),
  ];
  return (
    <Menu
      align="end"
      groups={narrow ? [pages, themeItems(theme)] : [pages]}
      trigger={
        <button type="button" className="btn ghost only-icon" aria-label="Pages" title="Pages">
          <Icon of={Ellipsis} size={16} />
        </button>
      }
    />
  );
}

function InboxLink() {
  const { data } = useQuery(inboxQuery());
  const { data: proposals = [] } = useQuery(proposalsQuery());
  const count = (data?.items.length ?? 0) + proposals.filter(({ outcome }) => outcome === 'open').length;
  return (
    <Link
      to="/inbox"
      className="place-link"
      aria-label={count === 0 ? 'Inbox' : `Inbox, ${formatCount(count)} waiting`}
    >
      Inbox{count > 0 && <span className="muted"> {formatCount(count)}</span>}
    </Link>
  );
}

export function Mark() {
  return (
    <svg
      className="mark"
      viewBox="0 0 20 20"
      width="20"
      height="20"
      fill="none"
      stroke="var(--fg)"
      strokeWidth="1.6"
      aria-hidden="true"
    >
      <path d="M6 3v14M6 13c0-4 8-2 8-7" />
      <circle cx="6" cy="4" r="2" fill="var(--bg-side)" />
      <circle cx="6" cy="16" r="2" fill="var(--bg-side)" />
      <circle cx="14" cy="5" r="2.2" fill="var(--accent)" stroke="var(--accent)" />
    </svg>
  );
}

/** Says in every bar whether secrets are hidden, and changes it until the page is left. */
function MaskToggle() {
  const revealed = useRevealed();
  return (
    <Tooltip
      text={
        revealed
          ? 'Keys, tokens and passwords are shown as stored'
          : 'Keys, tokens and passwords of known shapes are hidden'
      }
    >
      <button
        type="button"
        className="btn ghost mask-toggle"
        aria-pressed={revealed}
        onClick={() => setRevealed(!revealed)}
        data-testid="mask-toggle"
      >
        <Icon of={revealed ? Eye : EyeOff} />
        <span className="mask-word">{revealed ? 'Secrets revealed' : 'Secrets masked'}</span>
      </button>
    </Tooltip>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import {
  Activity,
  CircleX,
  Coins,
  Database,
  Ellipsis,
  Eye,
  EyeOff,
  HardDrive,
  Inbox,
  List,
  Lock,
  Monitor,
  Moon,
  Pencil,
  Presentation,
  Search,
  Settings,
  Sun,
  Trash2,
} from 'lucide-react';
import { Badge, Icon, IconButton, Kbd, Menu, type MenuItem, StatusIcon, Tooltip } from '../../components/index.ts';
import { showId } from '../../lib/format.ts';
import { useMedia } from '../../lib/hooks.ts';
import { useConnection } from '../../lib/live.ts';
import { inboxQuery, statusQuery, storesQuery, tasksQuery } from '../../lib/queries.ts';
import { setTheme, type Theme, useTheme } from '../../lib/settings.ts';
import { listed } from '../tasks/facets.ts';
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
        <Live />
        <FailedCount />
        <MaskToggle />
        <ChangesAllowed />
        <ThemeMenu />
        <MoreMenu />
        <IconButton className="keys-button" label="Keys" icon={<Kbd>?</Kbd>} onClick={onKeys} />
      </div>
    </header>
  );
}

/** Where we are: store and task, or the name of the page. */
function Place() {
  const { store, task } = useParams({ strict: false });
  const stores = useQuery(storesQuery());
  const info = stores.data?.find((candidate) => candidate.id === store);
  return (
    <div className="place">
      <Link to="/tasks" aria-label="Checkpoint Inspector, all tasks" className="place-home">
        <Mark />
      </Link>
      {store === undefined || task === undefined ? (
        <nav className="place-links" aria-label="Pages">
          <Link to="/tasks" className="place-link">
            Tasks
          </Link>
          <Link to="/errors" className="place-link">
            Errors
          </Link>
          <InboxLink />
          <Link to="/activity" className="place-link">
            Activity
          </Link>
          <Link to="/trash" className="place-link">
            Trash
          </Link>
          <Link to="/storage" className="place-link">
            Storage
          </Link>
          <Link to="/stores" className="place-link">
            Stores
          </Link>
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
          <h1 className="cut" title={showId(task)}>
            {showId(task)}
          </h1>
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

function Live() {
  const connection = useConnection();
  const words = { live: 'Live', connecting: 'Connecting', stale: 'Stopped' }[connection.state];
  return (
    <span className="live" data-testid="live" data-state={connection.state} title={words}>
      <span className="top-word">{words}</span>
    </span>
  );
}

function FailedCount() {
  const tasks = useQuery(tasksQuery());
  const failed = listed(tasks.data?.items ?? [], undefined).filter((task) => task.status === 'failed').length;
  if (failed === 0) return null;
  return (
    <Link to="/tasks" search={{ status: ['failed'] }} className="top-failed" title={`${failed} failed tasks`}>
      <StatusIcon status="failed" size={14} />
      {failed} <span className="top-word">failed</span>
    </Link>
  );
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

const THEMES: readonly { theme: Theme; label: string; icon: typeof Sun }[] = [
  { theme: 'system', label: 'As the system', icon: Monitor },
  { theme: 'light', label: 'Light', icon: Sun },
  { theme: 'dark', label: 'Dark', icon: Moon },
];

const themeItems = (current: Theme): MenuItem[] =>
  THEMES.map(({ theme, label }) => ({ label, checked: theme === current, onSelect: () => setTheme(theme) }));

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

/** Pages and themes where the bar has no room for them. */
function MoreMenu() {
  const theme = useTheme();
  const navigate = useNavigate();
  const narrow = useMedia('(max-width: 799px)');
  const demo = useQuery(statusQuery()).data?.demo ?? false;
  const pages: MenuItem[] = [
    { label: 'All tasks', icon: List, kbd: 'g t', onSelect: () => void navigate({ to: '/tasks' }) },
    { label: 'Search all states', icon: Search, kbd: 'g f', onSelect: () => void navigate({ to: '/search' }) },
    { label: 'Errors', icon: CircleX, kbd: 'g e', onSelect: () => void navigate({ to: '/errors' }) },
    { label: 'Inbox', icon: Inbox, kbd: 'g i', onSelect: () => void navigate({ to: '/inbox' }) },
    { label: 'Usage', icon: Coins, kbd: 'g u', onSelect: () => void navigate({ to: '/usage' }) },
    { label: 'Activity', icon: Activity, kbd: 'g a', onSelect: () => void navigate({ to: '/activity' }) },
    { label: 'Trash', icon: Trash2, kbd: 'g x', onSelect: () => void navigate({ to: '/trash' }) },
    { label: 'Storage', icon: HardDrive, kbd: 'g s', onSelect: () => void navigate({ to: '/storage' }) },
    { label: 'Stores', icon: Database, kbd: 'g o', onSelect: () => void navigate({ to: '/stores' }) },
    { label: 'Settings', icon: Settings, kbd: 'g ,', onSelect: () => void navigate({ to: '/settings' }) },
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

/** The way to the inbox, with how many tasks wait. */
function InboxLink() {
  const { data } = useQuery(inboxQuery());
  const count = data?.items.length ?? 0;
  return (
    <Link to="/inbox" className="place-link" aria-label={count === 0 ? 'Inbox' : `Inbox, ${count} waiting`}>
      Inbox{count > 0 && <span className="muted"> {count}</span>}
    </Link>
  );
}

/** The mark of the product: a line of checkpoints and a fork. */
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
          ? 'Keys, tokens and passwords are shown as they are stored'
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

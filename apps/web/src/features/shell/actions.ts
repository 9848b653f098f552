/** Where one can go from anywhere, and the actions of the page in view: for keys, menus and the palette. */
import {
  Activity,
  Bot,
  CircleX,
  Coins,
  Database,
  HardDrive,
  Inbox,
  List,
  type LucideIcon,
  Search,
  Settings,
  Trash2,
} from 'lucide-react';
import { useEffect, useRef } from 'react';
import { createSignal } from '../../lib/signal.ts';
import { isFile } from '../../lib/viewer/page.ts';

interface AppPage {
  readonly to: string;
  readonly label: string;
  readonly kbd: string;
  readonly icon: LucideIcon;
  /** Linked in the bar at the top. */
  readonly inBar?: true;
  /** About stores and what was changed in them: a page that is a file has none of it. */
  readonly needsServer?: true;
}

const ALL_PAGES = [
  { to: '/tasks', label: 'Tasks', kbd: 'g t', icon: List, inBar: true },
  { to: '/search', label: 'Search all states', kbd: 'g f', icon: Search },
  { to: '/errors', label: 'Errors', kbd: 'g e', icon: CircleX, inBar: true },
  { to: '/inbox', label: 'Inbox', kbd: 'g i', icon: Inbox, inBar: true },
  { to: '/usage', label: 'Usage', kbd: 'g u', icon: Coins, inBar: true },
  { to: '/activity', label: 'Activity', kbd: 'g a', icon: Activity, inBar: true, needsServer: true },
  { to: '/agents', label: 'Agents', kbd: 'g m', icon: Bot, needsServer: true },
  { to: '/trash', label: 'Trash', kbd: 'g x', icon: Trash2, needsServer: true },
  { to: '/storage', label: 'Storage', kbd: 'g s', icon: HardDrive, inBar: true, needsServer: true },
  { to: '/stores', label: 'Stores', kbd: 'g o', icon: Database, inBar: true, needsServer: true },
  { to: '/settings', label: 'Settings', kbd: 'g ,', icon: Settings },
] as const satisfies readonly AppPage[];

export const PAGES = ALL_PAGES.filter((page) => !isFile() || !('needsServer' in page));

interface PaletteAction {
  readonly label: string;
  readonly kbd?: string;
  readonly disabledReason?: string | undefined;
  readonly run: () => void;
}

const offered = createSignal<readonly PaletteAction[]>([]);

/** Offers actions for as long as the component is shown. */
export function useActions(actions: readonly PaletteAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  const shape = actions.map((action) => `${action.label}|${action.disabledReason ?? ''}`).join('\n');
  useEffect(() => {
    // Run through the ref: the action of the newest render, not of the one that offered it.
    offered.set(latest.current.map((action, index) => ({ ...action, run: () => latest.current[index]?.run() })));
    return () => offered.set([]);
  }, [shape]);
}

export const useOfferedActions = offered.use;

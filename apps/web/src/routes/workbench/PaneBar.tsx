import { useQuery } from '@tanstack/react-query';
import { Clock, Columns2, Info, List } from 'lucide-react';
import { Icon } from '../../components/index.ts';
import { listed } from '../../features/tasks/facets.ts';
import { tasksQuery } from '../../lib/queries.ts';

export type PaneName = 'tasks' | 'history' | 'content' | 'inspector';

const ENTRIES = [
  { pane: 'tasks', label: 'Tasks', icon: List },
  { pane: 'history', label: 'History', icon: Clock },
  { pane: 'content', label: 'Changes', icon: Columns2 },
  { pane: 'inspector', label: 'Inspect', icon: Info },
] as const;

interface PaneBarProps {
  readonly shown: PaneName;
  readonly onShow: (pane: PaneName) => void;
}

/** The panes of a narrow screen. */
export function PaneBar({ shown, onShow }: PaneBarProps) {
  const failed = listed(useQuery(tasksQuery()).data?.items ?? [], undefined).filter(
    (task) => task.status === 'failed',
  ).length;
  return (
    <nav className="pane-bar" aria-label="Panes" data-testid="pane-bar">
      {ENTRIES.map(({ pane, label, icon }) => (
        <button
          key={pane}
          type="button"
          aria-current={pane === shown ? 'page' : undefined}
          onClick={() => onShow(pane)}
        >
          <Icon of={icon} size={20} />
          {label}
          {pane === 'tasks' && failed > 0 && (
            <span className="pane-bar-count" title={`${failed} failed`}>
              {failed}
            </span>
          )}
        </button>
      ))}
    </nav>
  );
}

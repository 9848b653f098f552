import { useCopies } from '../../features/copy/use-copies.ts';
import { ChevronDown, Columns2, Copy, Ellipsis, FileDown, GitFork, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import { Button, Icon, Menu, type MenuItem } from '../../components/index.ts';
import { useMedia } from '../../lib/hooks.ts';
import { askExport } from '../../lib/signal.ts';
import type { CheckpointActions } from './use-actions.ts';
import type { Workbench } from '../../features/workbench/use-workbench.ts';

interface ActionBarProps {
  readonly bench: Workbench;
  readonly actions: CheckpointActions;
}

/** The acts on this checkpoint, always in one place; Delete stands apart. */
export function ActionBar({ bench, actions }: ActionBarProps) {
  const narrow = useMedia('(max-width: 799px)');
  // Keys in buttons are the first to go: all acts stand on one line.
  const roomy = useMedia('(min-width: 1560px)');
  const { restore, fork, edit, compare, remove } = actions;
  const copies = [...useCopies(bench).groups, exportItems(bench)];
  return (
    <div className="action-bar" role="toolbar" aria-label="Actions">
      <Button
        icon={RotateCcw}
        kbd={roomy ? 'r' : undefined}
        disabledReason={restore.disabledReason}
        onClick={restore.run}
        data-testid="restore"
      >
        Restore…
      </Button>
      <Button icon={GitFork} disabledReason={fork.disabledReason} onClick={fork.run} data-testid="fork">
        Fork
      </Button>
      {!narrow && (
        <Button icon={Pencil} disabledReason={edit.disabledReason} onClick={edit.run} data-testid="edit-action">
          Edit
        </Button>
      )}
      <Button icon={Columns2} disabledReason={compare.disabledReason} onClick={compare.run} data-testid="compare">
        Compare
      </Button>
      {narrow ? (
        <Menu
          align="end"
          groups={[
            ...copies,
            [{ label: 'Edit, then fork…', icon: Pencil, disabledReason: edit.disabledReason, onSelect: edit.run }],
            [{ label: 'Delete…', icon: Trash2, disabledReason: remove.disabledReason, onSelect: remove.run }],
          ]}
          trigger={
            <button type="button" className="btn only-icon end" aria-label="More actions">
              <Icon of={Ellipsis} />
            </button>
          }
        />
      ) : (
        <>
          <Menu
            groups={copies}
            trigger={
              <Button icon={Copy} data-testid="copy">
                Copy
                <Icon of={ChevronDown} size={12} />
              </Button>
            }
          />
          <Button
            variant="ghost"
            className="end"
            icon={Trash2}
            disabledReason={remove.disabledReason}
            onClick={remove.run}
            data-testid="delete"
          >
            Delete
          </Button>
        </>
      )}
    </div>
  );
}

function exportItems({ store, task }: Workbench): MenuItem[] {
  const detail = 'The task as a report or a bundle';
  return [{ label: 'Export…', detail, icon: FileDown, kbd: 'y e', onSelect: () => askExport({ store, task }) }];
}

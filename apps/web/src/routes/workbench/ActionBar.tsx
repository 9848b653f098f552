import { useCopies } from '../../features/copy/use-copies.ts';
import { ChevronDown, Columns2, Copy, Ellipsis, FileDown, GitFork, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import { Button, Icon, IconButton, Menu, type MenuItem } from '../../components/index.ts';
import { useMedia, useWidth } from '../../lib/hooks.ts';
import { askExport } from '../../lib/signal.ts';
import { isFile } from '../../lib/viewer/page.ts';
import type { CheckpointActions } from './use-actions.ts';
import type { Workbench } from '../../features/workbench/use-workbench.ts';

interface ActionBarProps {
  readonly bench: Workbench;
  readonly actions: CheckpointActions;
}

/** From the most room to the least: words on all, Delete by its icon, Copy and Delete in the menu, Edit there too. */
type Room = 'keys' | 'words' | 'icon' | 'menu' | 'phone';

// Widths at which the acts of each still fit on one line.
const NEEDED: readonly (readonly [px: number, room: Room])[] = [
  [590, 'keys'],
  [550, 'words'],
  [492, 'icon'],
  [396, 'menu'],
];

export const roomOf = (width: number): Room => NEEDED.find(([px]) => width >= px)?.[1] ?? 'phone';

/** Of a file: what only looks. */
function LookBar({ bench, actions: { compare } }: ActionBarProps) {
  return (
    <div className="action-bar" role="toolbar" aria-label="Actions">
      <Button icon={Columns2} disabledReason={compare.disabledReason} onClick={compare.run} data-testid="compare">
        Compare
      </Button>
      <CopyMenu groups={useCopies(bench).groups} />
    </div>
  );
}

export const ActionBar = (props: ActionBarProps) => (isFile() ? <LookBar {...props} /> : <ChangeBar {...props} />);

/** The acts on this checkpoint, always in one place and on one line; Delete is set apart. */
function ChangeBar({ bench, actions }: ActionBarProps) {
  const narrow = useMedia('(max-width: 799px)');
  const [box, width] = useWidth<HTMLDivElement>();
  const room = width > 0 ? roomOf(width) : narrow ? 'phone' : 'icon';
  const { restore, fork, edit, compare } = actions;
  return (
    <div ref={box} className="action-bar" role="toolbar" aria-label="Actions" data-room={room}>
      <Button
        icon={RotateCcw}
        kbd={room === 'keys' ? 'r' : undefined}
        disabledReason={restore.disabledReason}
        onClick={restore.run}
        data-testid="restore"
      >
        Restore…
      </Button>
      <Button icon={GitFork} disabledReason={fork.disabledReason} onClick={fork.run} data-testid="fork">
        Fork
      </Button>
      {room !== 'phone' && (
        <Button icon={Pencil} disabledReason={edit.disabledReason} onClick={edit.run} data-testid="edit-action">
          Edit
        </Button>
      )}
      <Button icon={Columns2} disabledReason={compare.disabledReason} onClick={compare.run} data-testid="compare">
        Compare
      </Button>
      <LastActs bench={bench} actions={actions} room={room} />
    </div>
  );
}

/** Copy and Delete, and in the menu whatever has no room beside them. */
function LastActs({ bench, actions: { edit, remove }, room }: ActionBarProps & { readonly room: Room }) {
  const copies = [...useCopies(bench).groups, exportItems(bench)];
  if (room === 'menu' || room === 'phone') {
    const editing = { label: 'Edit, then fork…', icon: Pencil, ...inMenu(edit) };
    return (
      <Menu
        align="end"
        groups={[...copies, room === 'phone' ? [editing] : [], [{ label: 'Delete…', icon: Trash2, ...inMenu(remove) }]]}
        trigger={
          <button type="button" className="btn only-icon end" aria-label="More actions">
            <Icon of={Ellipsis} />
          </button>
        }
      />
    );
  }
  const deletes = { disabledReason: remove.disabledReason, onClick: remove.run, 'data-testid': 'delete' };
  return (
    <>
      <CopyMenu groups={copies} />
      {room === 'icon' ? (
        <IconButton label="Delete" icon={Trash2} className="end" {...deletes} />
      ) : (
        <Button variant="ghost" className="end" icon={Trash2} {...deletes}>
          Delete
        </Button>
      )}
    </>
  );
}

const CopyMenu = ({ groups }: { readonly groups: readonly MenuItem[][] }) => (
  <Menu
    groups={groups}
    trigger={
      <Button icon={Copy} data-testid="copy">
        Copy
        <Icon of={ChevronDown} size={12} />
      </Button>
    }
  />
);

const inMenu = ({ disabledReason, run }: CheckpointActions['edit']): Pick<MenuItem, 'disabledReason' | 'onSelect'> => ({
  disabledReason,
  onSelect: run,
});

function exportItems({ store, task }: Workbench): MenuItem[] {
  const detail = 'The task as a report or a bundle';
  return [{ label: 'Export…', detail, icon: FileDown, kbd: 'y e', onSelect: () => askExport({ store, task }) }];
}

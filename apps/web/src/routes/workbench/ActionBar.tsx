import { formatAddress, idToSegment, type CheckpointMeta } from '@checkpoint-inspector/core';
import { ChevronDown, Columns2, Copy, Ellipsis, GitFork, Link2, Hash, RotateCcw, Trash2, Braces } from 'lucide-react';
import { Button, Icon, Menu, showToast, type MenuItem } from '../../components/index.ts';
import { addressOf } from '../../lib/address.ts';
import { api } from '../../lib/api.ts';
import { useMedia } from '../../lib/hooks.ts';
import type { CheckpointActions } from './useActions.ts';

interface ActionBarProps {
  readonly meta: CheckpointMeta;
  readonly actions: CheckpointActions;
}

/** The acts on this checkpoint, always in one place; Delete stands apart. */
export function ActionBar({ meta, actions }: ActionBarProps) {
  const narrow = useMedia('(max-width: 799px)');
  const { restore, fork, compare, remove } = actions;
  const copies = copyItems(meta);
  return (
    <div className="action-bar" role="toolbar" aria-label="Actions">
      <Button
        icon={RotateCcw}
        kbd={narrow ? undefined : 'r'}
        disabledReason={restore.disabledReason}
        onClick={restore.run}
        data-testid="restore"
      >
        Restore…
      </Button>
      <Button icon={GitFork} disabledReason={fork.disabledReason} onClick={fork.run} data-testid="fork">
        Fork
      </Button>
      <Button icon={Columns2} disabledReason={compare.disabledReason} onClick={compare.run} data-testid="compare">
        Compare
      </Button>
      {narrow ? (
        <Menu
          align="end"
          groups={[
            copies,
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
            groups={[copies]}
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

function copyItems(meta: CheckpointMeta): MenuItem[] {
  const address = addressOf(meta);
  const link = `${location.origin}/c/${meta.store}/${idToSegment(meta.id)}`;
  return [
    { label: 'Copy id', icon: Hash, onSelect: () => void copy(meta.id, 'The id') },
    { label: 'Copy link', icon: Link2, onSelect: () => void copy(link, 'The link') },
    {
      label: 'Copy view link',
      icon: Link2,
      onSelect: () => void copy(viewLink(location.href, meta), 'The link to this view'),
    },
    {
      label: 'Copy address',
      detail: formatAddress(address),
      icon: Copy,
      onSelect: () => void copy(formatAddress(address), 'The address'),
    },
    {
      label: 'Copy state',
      icon: Braces,
      onSelect: () =>
        void api.state(address).then(
          (state) => copy(state.text, 'The state'),
          (error: Error) => showToast({ title: error.message }),
        ),
    },
  ];
}

/** The view as it stands; a checkpoint that is shown only because it is the latest is named. */
export function viewLink(href: string, { id }: Pick<CheckpointMeta, 'id'>): string {
  const url = new URL(href);
  if (!url.searchParams.has('cp')) url.searchParams.set('cp', id);
  return url.href;
}

async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast({ title: `${what} is on the clipboard.` });
  } catch {
    showToast({ title: 'The browser does not allow copying here.' });
  }
}

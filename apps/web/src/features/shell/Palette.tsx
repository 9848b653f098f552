import { outcomeOf } from '@checkpoint-inspector/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useState } from 'react';
import { Search } from 'lucide-react';
import { PAGES, useOfferedActions } from './actions.ts';
import { checkpointPage, refAt, taskPage } from '../../lib/address.ts';
import { Icon, Kbd, StatusIcon } from '../../components/index.ts';
import { formatAge, showId, stepNumber } from '../../lib/format.ts';
import { setRevealed, useRevealed, useShown } from '../../lib/masking.ts';
import { checkpointsQuery, storesQuery, tasksQuery } from '../../lib/queries.ts';
import type { CheckpointRow } from '../../lib/api.ts';
import './overlays.css';

interface PaletteProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onKeys: () => void;
}

const TASKS_SHOWN = 60;
const CHECKPOINTS_SHOWN = 60;

/** Go to a task, a checkpoint of this task or a page; run an action of this page. */
export function Palette({ open, onClose, onKeys }: PaletteProps) {
  return (
    <Command.Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      label="Find tasks, checkpoints, actions"
      overlayClassName="scrim"
      contentClassName="palette-frame"
      className="palette"
      loop
    >
      {open && <PaletteBody onClose={onClose} onKeys={onKeys} />}
    </Command.Dialog>
  );
}

function PaletteBody({ onClose, onKeys }: Omit<PaletteProps, 'open'>) {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const actions = useOfferedActions();
  const revealed = useRevealed();
  const tasks = useQuery(tasksQuery()).data?.items ?? [];
  const { data: stores } = useQuery(storesQuery());
  const labelOf = (id: string): string => stores?.find((one) => one.id === id)?.label ?? id;
  const then = (run: () => void) => () => {
    onClose();
    run();
  };
  const pages: readonly { readonly label: string; readonly kbd?: string; readonly run: () => void }[] = [
    ...PAGES.map(({ label, kbd, to }) => ({ label, kbd, run: () => void navigate({ to }) })),
    { label: 'Keys', kbd: '?', run: onKeys },
  ];
  const secrets = revealed ? 'Mask secrets' : 'Reveal secrets';
  const found = tasks.filter((task) =>
    `${task.title} ${task.id} ${labelOf(task.store)}`.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <>
      <div className="palette-input">
        <Icon of={Search} size={16} />
        <Command.Input value={text} onValueChange={setText} placeholder="Find tasks, checkpoints, actions" />
      </div>
      <Command.List className="palette-list">
        <Command.Empty className="palette-empty">No results for “{text}”.</Command.Empty>
        {actions.length > 0 && (
          <Command.Group heading="This checkpoint">
            {actions.map((action) => (
              <Command.Item
                key={action.label}
                className="palette-item"
                value={`action ${action.label}`}
                disabled={action.disabledReason !== undefined}
                onSelect={then(action.run)}
              >
                <span className="grow cut">{action.label}</span>
                {action.disabledReason !== undefined && (
                  <span className="small muted cut">{action.disabledReason}</span>
                )}
                {action.kbd !== undefined && <Kbd>{action.kbd}</Kbd>}
              </Command.Item>
            ))}
          </Command.Group>
        )}
        <Command.Group heading="Tasks">
          {found.slice(0, TASKS_SHOWN).map((task) => (
            <Command.Item
              key={`${task.store}/${task.id}`}
              className="palette-item"
              value={`task ${showId(task.title)} ${showId(task.id)} ${labelOf(task.store)} ${task.store}`}
              onSelect={then(() => void navigate({ ...taskPage(task.store, task.id), search: {} }))}
            >
              <StatusIcon status={outcomeOf(task)} size={14} />
              <span className="grow cut">{showId(task.title)}</span>
              <span className="small muted cut">{labelOf(task.store)}</span>
            </Command.Item>
          ))}
        </Command.Group>
        <CheckpointItems text={text} then={then} />
        {text.trim() !== '' && (
          <Command.Group heading="States" forceMount>
            <Command.Item
              className="palette-item"
              value={`search all states for ${text}`}
              forceMount
              onSelect={then(() => void navigate({ to: '/search', search: { q: text.trim() } }))}
            >
              <span className="grow cut">Search all states for “{text.trim()}”</span>
            </Command.Item>
          </Command.Group>
        )}
        <Command.Group heading="Pages">
          {pages.map((page) => (
            <Command.Item
              key={page.label}
              className="palette-item"
              value={`page ${page.label}`}
              onSelect={then(page.run)}
            >
              <span className="grow">{page.label}</span>
              {page.kbd !== undefined && <Kbd>{page.kbd}</Kbd>}
            </Command.Item>
          ))}
        </Command.Group>
        <Command.Group heading="Actions">
          <Command.Item
            className="palette-item"
            value={`action ${secrets}`}
            onSelect={then(() => setRevealed(!revealed))}
          >
            <span className="grow">{secrets}</span>
          </Command.Item>
        </Command.Group>
      </Command.List>
    </>
  );
}

/** Checkpoints of the open task, as far as they are loaded. */
function CheckpointItems({ text, then }: { readonly text: string; readonly then: (run: () => void) => () => void }) {
  const { store, task } = useParams({ strict: false });
  const navigate = useNavigate();
  const client = useQueryClient();
  const shown = useShown();
  if (store === undefined || task === undefined) return null;
  const loaded = client.getQueryData(checkpointsQuery(store, task).queryKey);
  const rows = (loaded?.pages ?? []).flatMap((page) => page.items);
  const wanted = text.toLowerCase();
  const found = rows.filter((row) => textOf(row).toLowerCase().includes(wanted)).slice(0, CHECKPOINTS_SHOWN);
  if (found.length === 0) return null;
  return (
    <Command.Group heading="Checkpoints of this task">
      {found.map((row) => (
        <Command.Item
          key={`${row.namespace ?? ''} ${row.id}`}
          className="palette-item"
          value={`checkpoint ${shown(textOf(row))} ${row.namespace ?? ''}`}
          onSelect={then(() => void navigate(checkpointPage(store, refAt(task, row.id, row.namespace))))}
        >
          <StatusIcon status={row.status} size={14} />
          <span className="data strong">{stepNumber(row)}</span>
          <span className="grow cut">{shown(row.description ?? showId(row.id))}</span>
          {row.createdAt !== undefined && <span className="small muted">{formatAge(row.createdAt, Date.now())}</span>}
        </Command.Item>
      ))}
    </Command.Group>
  );
}

const textOf = (row: CheckpointRow): string =>
  `${stepNumber(row)} ${row.description ?? ''} ${row.id} ${row.summary ?? ''}`;

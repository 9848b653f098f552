import { useQuery } from '@tanstack/react-query';
import { Trash2, TriangleAlert } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button, EmptyState, Icon, LinkButton, ListRoute, VirtualList } from '../../components/index.ts';
import { formatSize, plural } from '../../lib/format.ts';
import { storesQuery } from '../../lib/queries.ts';
import type { Storage } from '../../lib/api.ts';
import { useChangeDialog } from '../change/index.tsx';
import type { TaskPlace } from '../../lib/address.ts';
import { mostBytes, type StorageRow, storageRows } from './rows.ts';
import { useStorage } from './use-storage.ts';
import { OwnUse, StoreHead, TaskRow, Unreadable } from './StorageRows.tsx';
import { StoreLabel } from '../stores/StoreLabel.tsx';
import './storage.css';

const keyOf = ({ store, task }: TaskPlace): string => JSON.stringify([store, task]);

/** What stores, journal and trash take up, what cannot be read, and the way to less. */
export function StorageRoute() {
  const query = useStorage();
  const { openPrune } = useChangeDialog();
  const [selected, setSelected] = useState<ReadonlyMap<string, TaskPlace>>(new Map());
  const select = (target: TaskPlace, on: boolean): void => {
    const next = new Map(selected);
    if (on) next.set(keyOf(target), target);
    else next.delete(keyOf(target));
    setSelected(next);
  };
  return (
    <ListRoute
      title="Storage"
      testId="storage"
      query={query}
      failed="Storage use could not be read."
      skeleton={[10, 28]}
      said={query.data && <Sums report={query.data} />}
      tools={
        <>
          {query.data && (
            <Button
              onClick={() => openPrune([...selected.values()], () => setSelected(new Map()))}
              disabledReason={selected.size === 0 ? 'Select tasks in the list first.' : undefined}
            >
              Tidy up {selected.size === 0 ? 'selected' : plural(selected.size, 'task')}…
            </Button>
          )}
          <LinkButton to="/trash" icon={Trash2}>
            Trash
          </LinkButton>
        </>
      }
    >
      {query.data && <Report report={query.data} isSelected={(at) => selected.has(keyOf(at))} onSelect={select} />}
    </ListRoute>
  );
}

function Sums({ report: { stores } }: { readonly report: Storage }) {
  const bytes = stores.reduce((sum, store) => sum + store.bytes, 0);
  const checkpoints = stores.reduce((sum, store) => sum + store.checkpoints, 0);
  return (
    <span className="muted">
      {plural(checkpoints, 'checkpoint')}, {formatSize(bytes)} in {plural(stores.length, 'store')}
    </span>
  );
}

interface ReportProps {
  readonly report: Storage;
  readonly isSelected: (target: TaskPlace) => boolean;
  readonly onSelect: (target: TaskPlace, on: boolean) => void;
}

function Report({ report, isSelected, onSelect }: ReportProps) {
  const { openPrune } = useChangeDialog();
  const { data: stores } = useQuery(storesQuery());
  const rows = useMemo(() => storageRows(report), [report]);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string, on: boolean): void =>
    setOpened(new Set(on ? [...opened, key] : [...opened].filter((one) => one !== key)));
  const most = useMemo(() => mostBytes(report), [report]);
  const render = (row: StorageRow) => {
    switch (row.kind) {
      case 'store':
        return <StoreHead store={row.store} />;
      case 'task': {
        const target = { store: row.task.store, task: row.task.id };
        return (
          <TaskRow
            task={row.task}
            most={most}
            selected={isSelected(target)}
            onSelect={(on) => onSelect(target, on)}
            onTidy={() => openPrune([target])}
            open={opened.has(row.key)}
            onOpen={(on) => toggle(row.key, on)}
          />
        );
      }
      case 'own':
        return <OwnUse report={row.report} />;
      case 'head':
        return (
          <div className="storage-section">
            <h2>{row.title}</h2> <span className="muted">{row.note}</span>
          </div>
        );
      case 'unreadable':
        return <Unreadable row={row.row} info={stores?.find((info) => info.id === row.row.store)} />;
    }
  };
  return (
    <>
      {report.failures.map(({ store, error }) => (
        <p key={store} className="storage-failure" role="alert">
          <Icon of={TriangleAlert} />
          <span>
            <StoreLabel id={store} /> could not be read: {error.message}
          </span>
        </p>
      ))}
      {report.stores.length === 0 && report.failures.length === 0 && (
        <EmptyState action={<LinkButton to="/stores">Open a store</LinkButton>}>
          No store is open, so there is nothing to measure.
        </EmptyState>
      )}
      <div className="storage-task storage-cols" aria-hidden="true">
        <span />
        <span>Task</span>
        <span className="use">
          <span />
          <span>Size, log scale</span>
        </span>
        <span>Checkpoints</span>
        <span>Oldest to newest</span>
      </div>
      <VirtualList
        items={rows}
        keyOf={(row) => row.key}
        heightOf={(row) => (row.kind === 'own' ? 168 : row.kind === 'task' ? 32 : 40)}
        measured
        role="list"
        label="Storage use, largest first"
        className="storage-list"
        render={render}
      />
    </>
  );
}

import type { StoreInfo } from '@checkpoint-inspector/core';
import { CircleAlert } from 'lucide-react';
import { Icon } from '../../components/index.ts';
import type { StoreFailure, StoresRead } from '../../lib/api.ts';
import { filesRead, formatCount } from '../../lib/format.ts';

interface StoreNotesProps {
  readonly failures: readonly StoreFailure[];
  readonly reading: StoresRead;
  readonly stores: readonly StoreInfo[];
}

/** Why the list is not all: stores that could not answer are named, and how far long ones are read. */
export function StoreNotes({ failures, reading = [], stores }: StoreNotesProps) {
  const labelOf = (store: string): string => stores.find(({ id }) => id === store)?.label ?? store;
  return (
    <>
      {failures.length > 0 && (
        <ul className="store-failures" aria-label="Stores that could not be read">
          {failures.map(({ store, error }) => (
            <li key={store}>
              <Icon of={CircleAlert} />
              <span>
                <b>{labelOf(store)}</b> could not be read: {error.message} <span className="muted">{error.remedy}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {reading.length > 0 && (
        <ul className="store-failures muted" aria-label="Stores that are being read" data-testid="tasks-reading">
          {reading.map(({ store, n, of, files }) => (
            <li key={store}>
              {labelOf(store)}:{' '}
              {files
                ? `${filesRead(files)}. More tasks may appear.`
                : `${formatCount(n)}${of === undefined ? '' : ` of ${formatCount(of)}`} tasks read so far. More failed tasks may appear.`}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

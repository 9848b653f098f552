import { CircleAlert } from 'lucide-react';
import { Icon } from '../../components/index.ts';
import type { StoreFailure } from '../../lib/wire.ts';

/** Stores that could not answer: named, while the others are listed. */
export function StoreFailures({ failures }: { readonly failures: readonly StoreFailure[] }) {
  if (failures.length === 0) return null;
  return (
    <ul className="store-failures" aria-label="Stores that could not be read">
      {failures.map(({ store, error }) => (
        <li key={store}>
          <Icon of={CircleAlert} />
          <span>
            <b>{store}</b> could not be read: {error.message} <span className="muted">{error.remedy}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

import { useQuery } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from '../../components/index.ts';
import { storesQuery } from '../../lib/queries.ts';
import { useShown } from '../../lib/masking.ts';
import type { Coverage } from '../../lib/api.ts';
import { coverageWords } from './groups.ts';
import './triage.css';

interface CoverageFootProps {
  readonly coverage: Coverage | undefined;
  readonly failures: readonly { readonly store: string; readonly error: { readonly message: string } }[];
  readonly children: ReactNode;
}

/** How much the page speaks of, and which stores could not be asked. */
export function CoverageFoot({ coverage, failures, children }: CoverageFootProps) {
  const shown = useShown();
  const { data: stores } = useQuery(storesQuery());
  return (
    <footer className="list-foot">
      {coverage && (
        <span data-testid="coverage" data-complete={coverage.complete}>
          {coverageWords(coverage)}.
        </span>
      )}
      <span>{children}</span>
      {failures.map(({ store, error }) => (
        <span key={store} className="flex">
          <Icon of={CircleAlert} />
          {stores?.find(({ id }) => id === store)?.label ?? store}: {shown(error.message)}
        </span>
      ))}
    </footer>
  );
}

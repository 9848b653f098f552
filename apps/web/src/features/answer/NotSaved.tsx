import { Link } from '@tanstack/react-router';
import { checkpointPage } from '../../lib/address.ts';
import { useShown } from '../../lib/masking.ts';
import type { Workbench } from '../workbench/use-workbench.ts';
import { useTaskAnswer } from './use-explanation.ts';
import './answer.css';

/** A step that failed and saved nothing has no checkpoint, and so no row: it is shown above the one that it ran on. */
export function NotSaved({ bench }: { readonly bench: Workbench }) {
  const explanation = useTaskAnswer(bench.history);
  const shown = useShown();
  const [newest] = bench.history.rows;
  if (explanation?.failingStep?.before !== true || explanation.error === undefined || newest?.isLatest !== true)
    return null;
  const { error, failingStep } = explanation;
  const what = shown(error.message);
  return (
    <Link className="not-saved" data-testid="not-saved" title={what} {...checkpointPage(bench.store, failingStep)}>
      <svg width="36" height="44" aria-hidden="true">
        <circle cx="18" cy="18" r="6" />
        <path className="cross" d="M15.5 15.5l5 5m0-5l-5 5" />
        <path d="M18 26V44" />
      </svg>
      <span className="not-saved-line">
        <b className="cut">{failingStep.node === undefined ? 'The next step' : shown(failingStep.node)}</b>
        <span className="badge">not saved</span>
      </span>
      <span className="not-saved-line small cut">{what}</span>
    </Link>
  );
}

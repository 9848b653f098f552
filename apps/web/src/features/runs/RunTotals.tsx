import { StatusIcon } from '../../components/index.ts';
import type { RunComparison } from '../../lib/api.ts';
import { useShown } from '../../lib/masking.ts';
import { splitPath } from '../diff/ranking.ts';
import { useValue } from './RunRows.tsx';
import { outcomeWords, totalsOf } from './words.ts';

/** Outcome, steps, time, tokens and cost of both, and the value at the end that tells most. */
export function RunTotals({ found }: { readonly found: RunComparison }) {
  const { a, b, end } = found;
  const shown = useShown();
  const value = useValue();
  const [top] = end?.items ?? [];
  return (
    <section className="run-totals" aria-label="Totals">
      <div className="run-total">
        <h2 className="label">Outcome</h2>
        <p>
          <Letter name="A" />
          <StatusIcon status={a.status} size={14} word />
        </p>
        <p>
          <Letter name="B" />
          <StatusIcon status={b.status} size={14} word />
        </p>
        <p className="small second">{outcomeWords(found)}</p>
      </div>
      {totalsOf(found).map((total) => (
        <div key={total.name} className="run-total" data-testid={`run-total-${total.name.toLowerCase()}`}>
          <h2 className="label">{total.name}</h2>
          <p>
            <Letter name="A" />
            <span>{total.a}</span>
          </p>
          <p>
            <Letter name="B" />
            <span>{total.b}</span>
          </p>
          <p className="small second">{total.difference}</p>
        </div>
      ))}
      {top && (
        <div className="run-total" title={shown(top.path)}>
          <h2 className="label cut">
            {shown(
              splitPath(top.path)
                .join('')
                .replace(/^\$\.?/, ''),
            )}
          </h2>
          <p>
            <Letter name="A" />
            <span className="data cut">
              {top.kind === 'moved' ? shown(top.from ?? '') : value(top.before, top.path)}
            </span>
          </p>
          <p>
            <Letter name="B" />
            <span className="data cut strong">
              {top.kind === 'moved' ? shown(top.path) : value(top.after, top.path)}
            </span>
          </p>
          <p className="small second">at the end</p>
        </div>
      )}
    </section>
  );
}

export const Letter = ({ name }: { readonly name: 'A' | 'B' }) => <span className="run-letter">{name}</span>;

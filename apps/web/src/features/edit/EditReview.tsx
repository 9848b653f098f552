import { TriangleAlert } from 'lucide-react';
import { Icon } from '../../components/index.ts';
import { plural } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { DiffRow } from '../diff/DiffRow.tsx';
import type { Review } from './review.ts';

const ROWS = 100;

/** What the edit changes, as a diff. */
export function EditReview({ review }: { readonly review: Review }) {
  const shown = useShown();
  if (review.kind === 'broken')
    return <p className="edit-none muted">Changes appear here once the text is valid JSON.</p>;
  if (review.kind === 'same') return <p className="edit-none muted">No change yet.</p>;
  const { diff, shape } = review;
  return (
    <section className="edit-review" aria-label="Changes of the edit" data-testid="edit-review">
      <h3>{diff.items.length === 0 ? 'Only white space or the order of keys' : plural(diff.items.length, 'change')}</h3>
      <div className="edit-changes" role="list">
        {diff.items.slice(0, ROWS).map((item, at) => (
          <div role="listitem" key={`${item.kind} ${item.path} ${at}`}>
            <DiffRow item={item} label={item.path} focused={false} />
          </div>
        ))}
      </div>
      {diff.items.length > ROWS && <p className="small muted">and {diff.items.length - ROWS} more</p>}
      {shape.length > 0 && (
        <ul className="edit-shape" data-testid="edit-shape">
          {shape.map((warning) => (
            <li key={`${warning.kind} ${warning.path}`}>
              <Icon of={TriangleAlert} />
              <span>{shown(warning.message)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

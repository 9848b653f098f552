import { Bookmark, StickyNote } from 'lucide-react';
import { Icon } from '../../components/index.ts';
import { useShown } from '../../lib/masking.ts';
import type { Annotation } from '../../lib/triage-queries.ts';
import { BOOKMARK } from './use-annotate.ts';
import './notes.css';

/** In a row of the history: a bookmark and a note, each by its shape and its word. */
export function Marks({ marks }: { readonly marks: Annotation }) {
  const shown = useShown();
  return (
    <>
      {marks.labels.includes(BOOKMARK) && (
        <span className="history-mark" title="Bookmarked" data-testid="bookmarked">
          <Icon of={Bookmark} size={12} />
          <span className="sr-only">Bookmarked</span>
        </span>
      )}
      {marks.note !== undefined && (
        <span className="history-mark" title={shown(marks.note)}>
          <Icon of={StickyNote} size={12} />
          <span className="sr-only">Has a note</span>
        </span>
      )}
    </>
  );
}

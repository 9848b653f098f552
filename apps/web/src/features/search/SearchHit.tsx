import { StatusIcon } from '../../components/index.ts';
import { formatSize, plural, stepNumber } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import type { SearchItem } from '../../lib/api.ts';

/** Characters before the match where there is little room. */
const NEAR = 12;

interface SearchHitProps {
  readonly item: SearchItem;
  readonly narrow: boolean;
  readonly onOpen: (which: 'first' | 'last') => void;
}

/** One result: where it is, what it is, since when and until when. */
export function SearchHit({ item, narrow, onOpen }: SearchHitProps) {
  const { path, pathMarks, firstSeen, lastSeen, count, status } = item;
  const snippet = item.snippet && (narrow ? nearMark(item.snippet, NEAR) : item.snippet);
  const shown = useShown();
  const masked = snippet === undefined || path === undefined ? undefined : shown(snippet.text, path);
  const name = lastSeen.description === undefined ? undefined : shown(lastSeen.description);
  return (
    // The list around it has the keys; the mouse needs the row itself.
    <div role="presentation" className="search-hit" data-testid="search-hit" onClick={() => onOpen('last')}>
      <span className="search-status">
        <StatusIcon status={status} size={14} />
      </span>
      <span className="search-step data strong">{stepNumber(lastSeen)}</span>
      <span className="search-path data-small cut" title={path}>
        {path === undefined ? (
          <span className="search-name">{item.in === 'name' ? 'step name' : (name ?? '')}</span>
        ) : (
          <bdi>
            <Marked text={path} marks={pathMarks} />
          </bdi>
        )}
      </span>
      <span className="search-snippet data-small">
        {snippet === undefined ? (
          <span className="muted">
            {path === undefined ? formatSize(lastSeen.sizeBytes) : 'a key with a nested value'}
          </span>
        ) : (
          <>
            {snippet.cutBefore && '…'}
            {masked === undefined || masked === snippet.text ? (
              <Marked text={snippet.text} marks={snippet.marks} />
            ) : (
              masked
            )}
            {snippet.cutAfter && '…'}
          </>
        )}
      </span>
      <Seen item={item} onFirst={() => onOpen('first')} />
      <span className="sr-only">
        {count > 1 ? `in ${plural(count, 'checkpoint')}, first seen ${stepNumber(firstSeen)}` : ''}
      </span>
    </div>
  );
}

function Seen({ item, onFirst }: { readonly item: SearchItem; readonly onFirst: () => void }) {
  const { firstSeen, lastSeen, count } = item;
  if (item.in === 'checkpoint') return <span className="search-seen small muted" />;
  if (count === 1) return <span className="search-seen small muted">only in {stepNumber(lastSeen)}</span>;
  return (
    <span className="search-seen small muted" aria-hidden="true">
      <span
        role="presentation"
        className="link data-small"
        title="Open where it was first seen"
        data-testid="first-seen"
        onClick={(event) => {
          event.stopPropagation();
          onFirst();
        }}
      >
        {stepNumber(firstSeen)}
      </span>{' '}
      to <span className="data-small">{stepNumber(lastSeen)}</span>, {plural(count, 'checkpoint')}
    </span>
  );
}

interface MarkedProps {
  readonly text: string;
  readonly marks: readonly { readonly start: number; readonly end: number }[];
}

function Marked({ text, marks }: MarkedProps) {
  const ends = [0, ...marks.map(({ end }) => end)];
  return (
    <>
      {marks.map(({ start, end }, at) => (
        <span key={start}>
          {text.slice(ends[at], start)}
          <mark className="search-mark">{text.slice(start, end)}</mark>
        </span>
      ))}
      {text.slice(ends.at(-1))}
    </>
  );
}

type Snippet = NonNullable<SearchItem['snippet']>;

/** The snippet with no more than `before` characters before its first mark. */
export function nearMark(snippet: Snippet, before: number): Snippet {
  const cut = Math.max(0, (snippet.marks[0]?.start ?? 0) - before);
  if (cut === 0) return snippet;
  return {
    text: snippet.text.slice(cut),
    marks: snippet.marks.map(({ start, end }) => ({ start: start - cut, end: end - cut })),
    cutBefore: true,
    cutAfter: snippet.cutAfter,
  };
}

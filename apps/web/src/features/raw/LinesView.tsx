import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { FindField, Matches, VirtualList } from '../../components/index.ts';
import { formatCount, plural } from '../../lib/format.ts';
import { useRested } from '../../lib/hooks.ts';
import { lineAt, linesOf, placesOf, type TextLine } from './lines.ts';

interface LinesViewProps {
  readonly text: string;
  readonly label: string;
  /** Beside the field. */
  readonly children: ReactNode;
}

const REST_MS = 150;
const LINE = 18;
const PER_LINE = 76;

/** A text with line numbers and a search; only the lines in view are drawn. */
export function LinesView({ text, label, children }: LinesViewProps) {
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const rested = useRested(words, REST_MS);
  const lines = useMemo(() => linesOf(text), [text]);
  const places = useMemo(() => placesOf(text, rested), [text, rested]);
  useEffect(() => setAt(0), [places]);
  const step = (by: 1 | -1): void => setAt((before) => (before + by + places.length) % Math.max(1, places.length));
  const place = places[at];
  return (
    <>
      <div className="raw-bar">
        <FindField
          label="Find in the text"
          value={words}
          onChange={setWords}
          onStep={step}
          className="raw-find"
          testId="raw-find"
        />
        {words !== '' && (
          <Matches
            said={
              places.length === 0
                ? 'no matches'
                : `${formatCount(at + 1)} of ${plural(places.length, 'match', 'matches')}`
            }
            onStep={step}
            testId="raw-matches"
          />
        )}
        {children}
      </div>
      <VirtualList
        items={lines}
        keyOf={(line) => String(line.start)}
        heightOf={(line) => LINE * Math.max(1, Math.ceil(line.text.length / PER_LINE))}
        measured
        scrolls
        role="list"
        label={label}
        active={place === undefined ? -1 : lineAt(lines, place)}
        className="raw-text"
        testId="raw-text"
        render={(line) => <Line line={line} places={places} length={rested.length} place={place} />}
      />
    </>
  );
}

interface LineProps {
  readonly line: TextLine;
  readonly places: readonly number[];
  readonly length: number;
  /** The match that is gone to. */
  readonly place: number | undefined;
}

/** The number is drawn by the style, so that copying takes the text alone. */
function Line({ line: { number, text, start }, places, length, place }: LineProps) {
  return (
    <div className="raw-line" data-line={number}>
      {length === 0 ? text : marked(text, start, places, { length, place })}
    </div>
  );
}

interface Marked {
  readonly length: number;
  readonly place: number | undefined;
}

function marked(text: string, start: number, places: readonly number[], { length, place }: Marked): ReactNode {
  const parts: ReactNode[] = [];
  let from = 0;
  for (const at of places) {
    if (at < start || at >= start + text.length) continue;
    const to = at - start;
    parts.push(
      text.slice(from, to),
      <mark key={at} className={at === place ? 'here' : undefined}>
        {text.slice(to, to + length)}
      </mark>,
    );
    from = to + length;
  }
  return [...parts, text.slice(from)];
}

import clsx from 'clsx';
import { type Difference, type WordChange, wordDiff } from '@checkpoint-inspector/core';
import { type KeyboardEvent, memo, type ReactNode, useMemo, useState } from 'react';
import { formatCount, plural, shownHead } from '../../lib/format.ts';
import { kindOf, layoutJson, numberNote, plainString } from '../../lib/json.ts';
import { isMaskedNow, useShown, useShownJson } from '../../lib/masking.ts';
import { MessageValue, useMessage } from './MessageValue.tsx';

const SHOWN = 600;
/** Below this two strings read better side by side than word by word. */
const WORDS_FROM = 24;

export const DiffValue = memo(function DiffValue({ item }: { readonly item: Difference }) {
  const { before, after, kind } = item;
  const shown = useShown();
  const shownJson = useShownJson();
  if (kind === 'moved') {
    return (
      <span className="diff-value">
        {after === undefined ? undefined : shownHead(shownJson, after, 160, item.path)}
        {item.from !== undefined && (
          <span className="diff-note">
            moved from {shown(placeIn(item.from))} to {shown(lastStep(item.path))}
          </span>
        )}
      </span>
    );
  }
  if (kind === 'type-changed' && before !== undefined && after !== undefined) {
    return (
      <span className="diff-value">
        <Side text={before} path={item.path} was type />
        <span className="diff-to">→</span>
        <Side text={after} path={item.path} type />
      </span>
    );
  }
  if (before !== undefined && after !== undefined) return <Changed before={before} after={after} path={item.path} />;
  const only = after ?? before;
  return (
    <span className={clsx('diff-value', after === undefined && before !== undefined && 'diff-gone')}>
      {only !== undefined && <Whole text={only} path={item.path} words />}
    </span>
  );
});

/** `$.a[4]` without its root. */
const placeIn = (path: string): string => path.replace(/^\$\.?(?=.)/, '');

/** `[4]` of `$.a[4]`. */
const lastStep = (path: string): string => /\[\d+\]$/.exec(path)?.[0] ?? placeIn(path);

interface BothProps {
  readonly before: string;
  readonly after: string;
  readonly path: string;
}

function Changed({ before, after, path }: BothProps) {
  const kind = kindOf(after);
  const shown = useShownJson();
  const hidden = shown(before, path) === shown(after, path) ? HIDDEN_NOTE : undefined;
  if (kind === 'string' && before.length + after.length > 2 * WORDS_FROM)
    return <Words before={before} after={after} path={path} />;
  const isHidden = isMaskedNow(before, path) || isMaskedNow(after, path);
  const note = kind === 'number' && !isHidden ? numberNote(before, after) : hidden && `${hidden}.`;
  return (
    <span className="diff-value">
      <Side text={before} path={path} was />
      <span className="diff-to">→</span>
      <Side text={after} path={path} />
      {note !== undefined && <span className="diff-note">{note}</span>}
    </span>
  );
}

interface SideProps {
  readonly text: string;
  readonly path: string;
  readonly was?: true;
  readonly type?: true;
}

function Side({ text, path, was, type }: SideProps) {
  return (
    <span className={was ? 'diff-old' : 'diff-new'}>
      <span className="sr-only">{was ? 'was ' : 'now '}</span>
      <Whole text={text} path={path} />
      {type && <TypeTag text={text} />}
    </span>
  );
}

const TypeTag = ({ text }: { readonly text: string }) => <span className="type-tag">{kindOf(text)}</span>;

interface WholeProps {
  readonly text: string;
  /** Its place in the state. */
  readonly path: string;
  /** A message is shown in its words first. */
  readonly words?: boolean;
}

/** A value laid out over lines, cut with a way to see the rest. */
export function Whole({ text, path, words = false }: WholeProps) {
  const [all, setAll] = useState(false);
  const shown = useShownJson();
  const message = useMessage(words ? path : undefined, text);
  const laid = useMemo(() => shown(layoutJson(text), path), [text, path, shown]);
  if (message && !all)
    return <MessageValue message={message} rest={<Rest onClick={() => setAll(true)}>show as stored</Rest>} />;
  if (laid.length <= SHOWN || all) return <>{laid}</>;
  return (
    <>
      {laid.slice(0, SHOWN)}…
      <Rest onClick={() => setAll(true)}>show whole value, {formatCount(laid.length)} characters</Rest>
    </>
  );
}

const HIDDEN_NOTE = 'What differs is masked';

/** Two strings word by word, masked before they are split: what went is struck, what came is underlined. */
function Words({ before, after, path }: BothProps) {
  const [all, setAll] = useState(false);
  const shown = useShown();
  const [old, now] = [shown(plainString(before), path), shown(plainString(after), path)];
  const changes = useMemo(() => joinedWords(wordDiff(old, now)), [old, now]);
  const differ = changes.reduce((sum, change) => sum + (change.kind === 'same' ? 0 : wordsIn(change.text)), 0);
  const long = changes.some((change) => change.kind === 'same' && change.text.length > SAME_SHOWN);
  return (
    <span className="diff-value">
      <span className="diff-words">
        “
        {changes.map((change, index) => {
          const key = `${index} ${change.kind}`;
          if (change.kind === 'added') return <ins key={key}>{change.text}</ins>;
          if (change.kind === 'removed') return <del key={key}>{change.text}</del>;
          return (
            <span key={key}>
              {all ? change.text : shortSame(change.text, index === 0, index === changes.length - 1)}
            </span>
          );
        })}
        ”
      </span>
      <span className="diff-note">
        {old === now
          ? HIDDEN_NOTE
          : differ === 0
            ? 'Only punctuation and spaces differ'
            : `${plural(differ, 'word')} differ${differ === 1 ? 's' : ''}`}
        {long && !all && (
          <>
            {' '}
            · <Rest onClick={() => setAll(true)}>show whole text</Rest>
          </>
        )}
      </span>
    </span>
  );
}

const SAME_SHOWN = 240;
const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0;

/** The neighbourhood of the changes: the far part of a long equal run is left out. */
function shortSame(text: string, first: boolean, last: boolean): string {
  if (text.length <= SAME_SHOWN) return text;
  const half = SAME_SHOWN / 2;
  if (first) return `…${text.slice(-half)}`;
  if (last) return `${text.slice(0, half)}…`;
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

/** Shows the rest of the values in the active row of a list of differences: what Enter does first there. */
export const showRest = (event: KeyboardEvent<HTMLElement>): boolean => clickInRow(event, '.diff-more');

/** A row of a list box has no buttons: Enter does what they would. */
export function clickInRow({ key, currentTarget: list }: KeyboardEvent<HTMLElement>, selector: string): boolean {
  if (key !== 'Enter') return false;
  const row = document.getElementById(list.getAttribute('aria-activedescendant') ?? '');
  const found = [...(row?.querySelectorAll<HTMLElement>(selector) ?? [])];
  for (const one of found) one.click();
  return found.length > 0;
}

/** No button: a row of a list box can contain none. The list has the key, `showRest`. */
function Rest({ onClick, children }: { readonly onClick: () => void; readonly children: ReactNode }) {
  return (
    <span
      role="presentation"
      title="Enter"
      className="link diff-more"
      onClick={(event) => {
        event.stopPropagation();
        onClick();
      }}
    >
      {children}
    </span>
  );
}

/** An equal run this short between two changes only makes the text harder to read. */
const SHORT = 8;

/**
 * Joins changes that only a short word or a space keeps apart: "follows with
 * 4.2" to "leads with 4200" reads as one change, not as two. What is removed
 * and what is added keep their own full text.
 */
export function joinedWords(changes: readonly WordChange[]): WordChange[] {
  const out: WordChange[] = [];
  let removed = '';
  let added = '';
  const flush = (): void => {
    if (removed !== '') out.push({ kind: 'removed', text: removed });
    if (added !== '') out.push({ kind: 'added', text: added });
    removed = '';
    added = '';
  };
  changes.forEach((change, index) => {
    if (change.kind === 'removed') removed += change.text;
    else if (change.kind === 'added') added += change.text;
    else if (index > 0 && index < changes.length - 1 && isShort(change.text) && removed !== '' && added !== '') {
      removed += change.text;
      added += change.text;
    } else {
      flush();
      out.push(change);
    }
  });
  flush();
  return out;
}

const isShort = (text: string): boolean =>
  text.length <= SHORT && !text.includes('\n') && (text.match(/\S+/g)?.length ?? 0) <= 1;

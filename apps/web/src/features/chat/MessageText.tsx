import { useMemo } from 'react';
import { formatCount } from '../../lib/format.ts';
import { layoutJson, tryParse } from '../../lib/json.ts';
import { useShown, useShownJson } from '../../lib/masking.ts';
import { Markdown } from './Markdown.tsx';

interface TextProps {
  readonly text: string;
  /** `markdown`: words of people and models; `plain`: what tools give. */
  readonly as: 'markdown' | 'plain';
  /** Longer texts are folded. */
  readonly most: number;
  readonly open: boolean;
  readonly onToggle: () => void;
}

/** Longer texts are shown as they are: laying them out would hold up the page. */
const MOST_MARKDOWN = 60_000;

/** The text of a message, whole or its beginning. */
export function MessageText({ text, as, most, open, onToggle }: TextProps) {
  const shown = useShown();
  const shownJson = useShownJson();
  const isJson = useMemo(() => /^\s*[[{]/.test(text) && !('error' in tryParse(text)), [text]);
  const whole = useMemo(
    () => (isJson ? shownJson(layoutJson(text, 72)) : shown(text)),
    [isJson, text, shown, shownJson],
  );
  const isLong = whole.length > most * 1.2;
  const part = isLong && !open ? whole.slice(0, most) : whole;
  return (
    <>
      {isJson || as === 'plain' ? (
        <div className="chat-text data-text">{part}</div>
      ) : part.length > MOST_MARKDOWN ? (
        <div className="chat-text">{part}</div>
      ) : (
        <Markdown text={part} />
      )}
      {isLong && (
        <button type="button" className="link small muted" aria-expanded={open} onClick={onToggle}>
          {open ? 'show less' : `show all ${formatCount(whole.length)} characters`}
        </button>
      )}
    </>
  );
}

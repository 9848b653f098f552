import type { Difference } from '@checkpoint-inspector/core';
import { shownHead, plural } from '../../lib/format.ts';
import { useShownJson } from '../../lib/masking.ts';

const SIGNS: Record<Difference['kind'], readonly [sign: string, word: string]> = {
  added: ['+', 'added'],
  removed: ['−', 'removed'],
  changed: ['~', 'changed'],
  moved: ['↕', 'moved'],
  'type-changed': ['⇄', 'type changed'],
};

interface MarkProps {
  readonly item: Difference | undefined;
  readonly insideAdded: boolean;
  /** Changes inside a container that is closed. */
  readonly inside: number;
}

/** In front of a row: what this checkpoint did to its value. Its place is kept on every row. */
export function ChangeMark({ item, insideAdded, inside }: MarkProps) {
  const kind = item?.kind ?? (insideAdded ? 'added' : undefined);
  if (kind === undefined && inside === 0) return <span className="state-mark" />;
  const [sign, word] = kind === undefined ? ['•', `${plural(inside, 'change')} inside`] : SIGNS[kind];
  return (
    <span className="state-mark" data-kind={kind ?? 'inside'} title={word}>
      <span aria-hidden="true">{sign}</span>
      <span className="sr-only">{word} </span>
    </span>
  );
}

const SHOWN = 60;

/** At the end of a changed row: the value before. */
export function Before({ item }: { readonly item: Difference | undefined }) {
  const shown = useShownJson();
  if (item?.kind === 'moved') return <span className="state-was">from {shown(item.from ?? '')}</span>;
  if (item?.before === undefined) return null;
  return (
    <span className="state-was" data-testid="state-was">
      was <span className="state-was-value">{shownHead(shown, item.before, SHOWN, item.path)}</span>
    </span>
  );
}

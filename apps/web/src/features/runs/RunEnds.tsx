import { formatAddress } from '@checkpoint-inspector/core';
import { Link } from '@tanstack/react-router';
import { ArrowRight, FileText } from 'lucide-react';
import { copyText } from '../../components/copy.ts';
import { Button, CopyButton, Icon } from '../../components/index.ts';
import { toAddress } from '../../lib/address.ts';
import type { RunComparison } from '../../lib/api.ts';
import { formatCount, plural } from '../../lib/format.ts';
import { useKeys } from '../../lib/keys.ts';
import { useRevealed, useShown, useShownJson } from '../../lib/masking.ts';
import { GLYPHS, PathText } from '../diff/DiffRow.tsx';
import { runsMarkdown } from './markdown.ts';
import { useValue } from './RunRows.tsx';

const SHOWN = 8;

/** What differs between the two last states. */
export function RunEnds({ found }: { readonly found: RunComparison }) {
  const { a, b, end } = found;
  const shown = useShown();
  const value = useValue();
  const copy = useMarkdown(found);
  useKeys({ 'y m': copy });
  const search = {
    a: formatAddress(toAddress(a.store, a.end)),
    b: formatAddress(toAddress(b.store, b.end)),
  };
  const items = end?.items.slice(0, SHOWN) ?? [];
  return (
    <section className="run-ends" aria-label="At the end" data-testid="run-ends">
      <div className="run-ends-head">
        <h2>At the end</h2>
        <span className="second">{endWords(end)}</span>
        <span className="end flex run-ends-acts">
          <Button variant="ghost" icon={FileText} kbd="y m" onClick={copy}>
            Copy as Markdown
          </Button>
          <CopyButton text={location.href} label="Copy link" />
          <Link to="/compare" search={search} className="btn primary">
            Open the diff
            <Icon of={ArrowRight} />
          </Link>
        </span>
      </div>
      {items.map((item) => (
        <div key={`${item.kind} ${item.path}`} className={`run-end ${item.kind}`}>
          <span className="data run-end-key" title={shown(item.path)}>
            <PathText text={shown(item.path.replace(/^\$\.(?=.)/, ''))} />
          </span>
          <span className="data">
            <span className="sr-only">A: </span>
            {item.kind === 'moved' ? shown(item.from ?? '') : value(item.before, item.path)}
          </span>
          <b className="run-end-glyph" aria-hidden="true">
            {GLYPHS[item.kind].glyph}
          </b>
          <span className="data strong">
            <span className="sr-only">B: </span>
            {item.kind === 'moved' ? shown(item.path) : value(item.after, item.path)}
          </span>
        </div>
      ))}
    </section>
  );
}

/** What is masked stays masked: it is made to be passed on. */
function useMarkdown(found: RunComparison): () => void {
  const [shown, shownJson, revealed] = [useShown(), useShownJson(), useRevealed()];
  const words = revealed ? 'The comparison as Markdown' : 'The comparison as Markdown, secrets masked,';
  return () => void copyText(runsMarkdown(found, { link: location.href, shown, shownJson }), words);
}

/** @example '8 values differ, 38 are equal' */
function endWords(end: RunComparison['end']): string {
  if (end === undefined) return 'The two last states could not be compared here.';
  const { added, removed, changed, moved } = end.summary;
  const count = added + removed + changed + moved;
  const equal = end.equal === undefined ? '' : `, ${formatCount(end.equal)} are equal`;
  const differ = count === 0 ? 'Nothing differs' : plural(count, 'value differs', 'values differ');
  return `${differ}${equal}`;
}

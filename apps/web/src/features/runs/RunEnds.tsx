import { type Difference, type EndValue, type Explanation, formatAddress } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowRight, FileText } from 'lucide-react';
import { copyText } from '../../components/copy.ts';
import { Button, CopyButton, Icon } from '../../components/index.ts';
import { toAddress } from '../../lib/address.ts';
import type { RunComparison } from '../../lib/api.ts';
import { formatCount, plural } from '../../lib/format.ts';
import { useKeys } from '../../lib/keys.ts';
import { useRevealed, useShown, useShownJson } from '../../lib/masking.ts';
import { explanationQuery } from '../../lib/queries.ts';
import { StepLink } from '../answer/Explained.tsx';
import { lookedWords, pathWords } from '../answer/words.ts';
import { GLYPHS, PathText } from '../diff/DiffRow.tsx';
import { runsMarkdown } from './markdown.ts';
import { useValue } from './RunRows.tsx';

const SHOWN = 8;

/** How the two runs ended: values that differ, who wrote them in each, and calls that one never made. */
export function RunEnds({ found }: { readonly found: RunComparison }) {
  const { a, b, end } = found;
  const copy = useMarkdown(found);
  const { against, missing, looked } = useOutcome(found);
  useKeys({ 'y m': copy });
  const search = {
    a: formatAddress(toAddress(a.store, a.end)),
    b: formatAddress(toAddress(b.store, b.end)),
  };
  const rows = against ? against.differs.map(rowOfValue) : (end?.items ?? []).map(rowOfDifference);
  return (
    <section className="run-ends" aria-label="At the end" data-testid="run-ends">
      <div className="run-ends-head">
        <h2>At the end</h2>
        <span className="second">{against ? againstCount(against) : endWords(end)}</span>
        {looked !== undefined && (
          <span className="small muted" role="status">
            {looked}
          </span>
        )}
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
      {rows.slice(0, SHOWN).map((row) => (
        <EndRow key={`${row.kind} ${row.path}`} found={found} row={row} />
      ))}
      {missing.map(({ side, call }, at) => (
        <MissingCall key={at} found={found} side={side} call={call} />
      ))}
    </section>
  );
}

type Against = NonNullable<Explanation['against']>;
type Call = Against['missing'][number];

/** Runs of one store are compared by what they wrote; A against B, and then the other way for the calls of A. */
function useOutcome({ a, b }: RunComparison) {
  const [ofA, ofB] = [toAddress(a.store, a.end), toAddress(b.store, b.end)];
  const enabled = a.store === b.store;
  const { data: here } = useQuery({ ...explanationQuery(ofA, { against: formatAddress(ofB) }), enabled });
  const isWhole = here !== undefined && here.examined.partial !== true;
  const { data: there } = useQuery({
    ...explanationQuery(ofB, { against: formatAddress(ofA) }),
    enabled: enabled && isWhole,
  });
  const calls = (side: 'A' | 'B', of: Explanation | undefined) =>
    (of?.against?.missing ?? []).map((call) => ({ side, call }));
  return {
    against: here?.against,
    missing: [...calls('A', here), ...calls('B', there)],
    looked: here === undefined || isWhole ? undefined : lookedWords(here)[0],
  };
}

interface End {
  readonly path: string;
  readonly kind: Difference['kind'];
  readonly a: EndValue;
  readonly b: EndValue;
  /** Of a value that moved: where it was. */
  readonly from?: string | undefined;
}

function rowOfValue({ path, here, there }: Against['differs'][number]): End {
  const kind = here.value === undefined ? 'added' : there.value === undefined ? 'removed' : 'changed';
  return { path, kind, a: here, b: there };
}

const valueOf = (value: string | undefined): EndValue => (value === undefined ? {} : { value });

const rowOfDifference = ({
  path,
  kind,
  before,
  after,
  from,
}: NonNullable<RunComparison['end']>['items'][number]): End => ({
  path,
  kind,
  a: valueOf(before),
  b: valueOf(after),
  from,
});

function EndRow({ found, row }: { readonly found: RunComparison; readonly row: End }) {
  const shown = useShown();
  const { path, kind, a, b, from } = row;
  return (
    <div className={`run-end ${kind}`} data-testid="run-end" data-path={shown(path)}>
      <bdi className="data run-end-key" title={shown(path)}>
        <PathText text={shown(pathWords(path))} />
      </bdi>
      <span className="data">
        <span className="sr-only">A: </span>
        {kind === 'moved' ? shown(from ?? '') : <Ended store={found.a.store} path={path} end={a} />}
      </span>
      <b className="run-end-glyph" aria-hidden="true">
        {GLYPHS[kind].glyph}
      </b>
      <span className="data strong">
        <span className="sr-only">B: </span>
        {kind === 'moved' ? shown(path) : <Ended store={found.b.store} path={path} end={b} />}
      </span>
    </div>
  );
}

interface EndedProps {
  readonly store: string;
  readonly path: string;
  readonly end: EndValue;
}

/** A value at the end, and the step that wrote it last. */
function Ended({ store, path, end }: EndedProps) {
  const value = useValue();
  return (
    <>
      <bdi>{value(end.value, path)}</bdi>
      {end.ref && (
        <span className="run-end-by small">
          {' '}
          <StepLink where={{ store }} step={end.ref} path={path} />
        </span>
      )}
    </>
  );
}

interface MissingCallProps {
  readonly found: RunComparison;
  /** The run that never made it. */
  readonly side: 'A' | 'B';
  readonly call: Call;
}

function MissingCall({ found, side, call: { call, args, ref } }: MissingCallProps) {
  const shown = useShown();
  const value = useValue();
  const other = side === 'A' ? 'B' : 'A';
  return (
    <p className="run-missing" data-testid="run-missing">
      <b>{side}</b> never called{' '}
      <bdi className="data">
        {shown(call)}({args !== undefined && value(args, '$')})
      </bdi>
      , which {other} did
      {ref && (
        <>
          {' '}
          in <StepLink where={{ store: other === 'A' ? found.a.store : found.b.store }} step={ref} />
        </>
      )}
      .
    </p>
  );
}

const againstCount = ({ differs, more = 0 }: Against): string =>
  differs.length === 0 ? 'Nothing differs' : plural(differs.length + more, 'value differs', 'values differ');

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

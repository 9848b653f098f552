/** On the open checkpoint: what failed in the store's words, from where to go on, and what this run wrote. */
import {
  type CheckpointMeta,
  type Explanation,
  formatAddress,
  NO_LAST_GOOD,
  NO_MESSAGE,
  type Write,
} from '@checkpoint-inspector/core';
import clsx from 'clsx';
import {
  Columns2,
  Ellipsis,
  GitFork,
  History as HistoryIcon,
  ListChecks,
  Pencil,
  RotateCcw,
  TriangleAlert,
} from 'lucide-react';
import { Button, Clamped, CopyButton, Icon, Menu, StatusIcon } from '../../components/index.ts';
import { isFile } from '../../lib/viewer/page.ts';
import type { BesideAnswer } from '../../lib/api.ts';
import { addressOf } from '../../lib/address.ts';
import { useMedia } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { useBeside } from '../beside/use-beside.ts';
import type { Workbench } from '../workbench/use-workbench.ts';
import { Explained } from './Explained.tsx';
import { type AnswerActs, type Way, useAnswerActs } from './use-answer-acts.ts';
import { useExplanation } from './use-explanation.ts';
import { isWrong, numberOf, pathWords, titleOf, toneOf, whoFailed } from './words.ts';
import './answer.css';

const SHOWN = 3;

interface AnswerStripProps {
  readonly bench: Workbench;
  readonly meta: CheckpointMeta;
}

export function AnswerStrip({ bench, meta }: AnswerStripProps) {
  const query = useExplanation(meta);
  const beside = useBeside(meta.status === 'failed' ? meta : undefined);
  const acts = useAnswerActs(bench);
  const isNarrow = useMedia('(max-width: 799px)');
  // The changes below need room as well.
  const isShort = useMedia('(max-height: 820px)');
  const shown = useShown();
  const { data: explanation } = query;
  if (meta.status !== 'failed' && (explanation === undefined || !isWrong(explanation))) return null;
  // The list tells the error before the answer does.
  const errors = errorsOf(explanation, beside, isSame(bench, meta) ? bench.history.selected?.error : undefined);
  const isNext = explanation ? explanation.failingStep?.before === true : isBeside(beside);
  const who = whoFailed(meta, explanation?.error?.node ?? beside?.errors?.[0]?.node, errors[0]?.text, isNext);
  const tone = explanation === undefined ? 'failed' : toneOf(explanation);
  const state = query.isError ? 'error' : explanation === undefined ? 'loading' : explanation.outcome;
  const buttons = explanation && <NextButtons explanation={explanation} acts={acts} />;
  const most = isNarrow || isShort ? 1 : SHOWN;
  return (
    <section
      className={clsx('answer', tone === 'check' ? 'of-check' : tone)}
      aria-label="What went wrong"
      data-testid="answer-strip"
      data-state={state}
      tabIndex={0}
    >
      <header className="answer-head">
        {tone === 'check' ? (
          <span className="answer-warning">
            <Icon of={TriangleAlert} size={16} />
          </span>
        ) : (
          <StatusIcon status="failed" />
        )}
        <div className="answer-title">
          <h3>
            <bdi>{shown(titleOf(tone, who, meta.status === 'completed'))}</bdi>
          </h3>
          <span className="small answer-step">{stepOf(meta, who, isNext)}</span>
        </div>
        {!isNarrow && buttons}
      </header>
      <Errors key={formatAddress(addressOf(meta))} errors={errors} unsaid={explanation?.error?.unsaid === true} />
      {query.isError && (
        <div className="answer-trouble" role="alert">
          <p>This run could not be explained: {query.error.message} The error above is complete.</p>
          <Button onClick={() => void query.refetch()}>Try again</Button>
          <CopyButton text={query.error.message} label="Copy details" />
        </div>
      )}
      {state === 'loading' && (
        <p className="answer-facts" role="status">
          Reading this run
        </p>
      )}
      {explanation && (
        <Explained
          where={acts.where}
          explanation={explanation}
          most={most}
          heading="h4"
          renderOfWrite={(write) => <WriteMenu write={write} acts={acts} />}
          renderOfUnusual={({ ref }) => !isFile() && <BeforeButton way={acts.before(ref)} />}
        />
      )}
      {isNarrow && buttons}
    </section>
  );
}

/** Secondary, and never chosen for anyone: that a value is unusual says nothing of where to go back to. */
const BeforeButton = ({ way }: { readonly way: Way | undefined }) =>
  way && (
    <Button size="sm" variant="ghost" title={way.label} disabledReason={way.disabledReason} onClick={way.run}>
      {way.kind === 'fork' ? 'Fork before this' : 'Restore before this'}
    </Button>
  );

function WriteMenu({ write, acts }: { readonly write: Write; readonly acts: AnswerActs }) {
  const path = useShown()(pathWords(write.path));
  const changes = [
    { label: 'This should be…', icon: ListChecks, onSelect: () => acts.shouldBe(write) },
    { label: 'Edit this value, then fork…', icon: Pencil, onSelect: () => acts.edit(write) },
  ];
  return (
    <Menu
      align="end"
      label={path}
      groups={[
        [
          { label: 'History of this value', icon: HistoryIcon, onSelect: () => acts.history(write) },
          ...(isFile() ? changes.slice(0, 1) : changes),
        ],
      ]}
      trigger={
        <button
          type="button"
          className="btn ghost only-icon sm"
          aria-label={`More about ${path} at ${numberOf(write.ref)}`}
        >
          <Icon of={Ellipsis} />
        </button>
      }
    />
  );
}

interface ToldError {
  readonly text: string;
  readonly node?: string | undefined;
}

const isSame = ({ history: { selected } }: Workbench, meta: CheckpointMeta): boolean =>
  selected?.id === meta.id && selected.namespace === meta.namespace;

/** It failed on the way from this checkpoint. */
const isBeside = (beside: BesideAnswer | undefined): boolean =>
  beside !== undefined && beside.own !== true && (beside.errors?.length ?? 0) > 0;

/** Every node that failed in the step, else what the answer says. */
function errorsOf(
  explanation: Explanation | undefined,
  beside: BesideAnswer | undefined,
  listed: string | undefined,
): readonly ToldError[] {
  const told = beside?.errors?.filter(({ text }) => text.trim() !== '') ?? [];
  if (told.length > 0) return told;
  if (explanation === undefined && listed !== undefined) return [{ text: listed }];
  const { error } = explanation ?? {};
  return error === undefined || error.unsaid === true ? [] : [{ text: error.message }];
}

/** Where it failed, unless the title says so. */
function stepOf({ stepIndex, totalSteps }: CheckpointMeta, who: string, isNext: boolean): string {
  if (stepIndex === undefined || stepIndex < 0 || who === `Step ${stepIndex}`) return '';
  if (isNext) return `after step ${stepIndex}`;
  return totalSteps === undefined || totalSteps < stepIndex
    ? `step ${stepIndex}`
    : `step ${stepIndex} of ${totalSteps}`;
}

/** All of it can be read: what is long is behind a button. */
function Errors({ errors, unsaid }: { readonly errors: readonly ToldError[]; readonly unsaid: boolean }) {
  const shown = useShown();
  if (errors.length === 0) return <p className="answer-unsaid">{unsaid ? NO_MESSAGE : '\u00a0'}</p>;
  return (
    <Clamped className="answer-errors" testId="answer-error">
      {errors.map(({ node, text }, index) => (
        <p key={index} dir="auto">
          {errors.length > 1 && node !== undefined && <b>{shown(node)} failed. </b>}
          {shown(text)}
        </p>
      ))}
    </Clamped>
  );
}

function NextButtons({ explanation, acts }: { readonly explanation: Explanation; readonly acts: AnswerActs }) {
  const { lastGood, recovered } = explanation;
  const way = acts.next(explanation);
  return (
    <span className="answer-buttons">
      <Button
        icon={Columns2}
        disabledReason={lastGood ? undefined : NO_LAST_GOOD}
        onClick={() => acts.compare(explanation)}
        title={lastGood && lastGood.back > 0 ? `Compare with the last good one, ${numberOf(lastGood)}` : undefined}
        data-testid="answer-compare"
      >
        Compare
      </Button>
      {!recovered && !isFile() && (
        <Button
          variant={way.cost === undefined ? 'default' : 'primary'}
          icon={way.kind === 'fork' ? GitFork : RotateCcw}
          disabledReason={way.disabledReason}
          title={way.cost === undefined ? undefined : `${way.label}: ${way.cost}`}
          onClick={way.run}
          data-testid="answer-next"
        >
          {way.label}
          {way.cost !== undefined && <span className="answer-cost">{way.cost}</span>}
        </Button>
      )}
    </span>
  );
}

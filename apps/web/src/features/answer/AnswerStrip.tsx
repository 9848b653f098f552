/** From the facts to the answer: what failed, why in the store's words, from where to go on, and what likely caused it. */
import { type CheckpointMeta, formatAddress, NO_LAST_GOOD } from '@checkpoint-inspector/core';
import clsx from 'clsx';
import { Columns2, Flag, GitFork, RotateCcw, TriangleAlert } from 'lucide-react';
import { Button, Clamped, CopyButton, Icon, StatusIcon } from '../../components/index.ts';
import { isFile } from '../../lib/viewer/page.ts';
import type { BesideAnswer, Diagnosis } from '../../lib/api.ts';
import { addressOf } from '../../lib/address.ts';
import { useMedia } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { useBeside } from '../beside/use-beside.ts';
import type { Workbench } from '../workbench/use-workbench.ts';
import { Suspects } from './Suspects.tsx';
import { useAnswerActs, type AnswerActs } from './use-answer-acts.ts';
import { useDiagnosis } from './use-diagnosis.ts';
import { backWords, examinedWords, holdsWords, numberOf, quotedName, shortName, titleOf, toneOf } from './words.ts';
import './answer.css';

interface AnswerStripProps {
  readonly bench: Workbench;
  readonly meta: CheckpointMeta;
}

export function AnswerStrip({ bench, meta }: AnswerStripProps) {
  const query = useDiagnosis(meta);
  const beside = useBeside(meta.status === 'failed' ? meta : undefined);
  const acts = useAnswerActs(bench);
  const isNarrow = useMedia('(max-width: 799px)');
  // The changes below need room as well.
  const isShort = useMedia('(max-height: 820px)');
  const shown = useShown();
  const { data: diagnosis } = query;
  if (meta.status !== 'failed' && (diagnosis === undefined || diagnosis.outcome === 'healthy')) return null;
  // The list tells the error before the answer does.
  const errors = errorsOf(diagnosis, beside, isSame(bench, meta) ? bench.history.selected?.error : undefined);
  const node = diagnosis?.error?.node ?? beside?.errors?.[0]?.node;
  const name = node ?? shortName(meta, errors[0]?.text);
  const tone = diagnosis === undefined ? 'failed' : toneOf(diagnosis);
  const state = query.isError ? 'error' : diagnosis === undefined ? 'loading' : diagnosis.outcome;
  const buttons = diagnosis && <NextButtons diagnosis={diagnosis} acts={acts} />;
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
          <h3>{shown(titleOf(diagnosis, name, meta.status === 'completed'))}</h3>
          <span className="small answer-step">{stepOf(meta)}</span>
        </div>
        {!isNarrow && buttons}
      </header>
      <Errors key={formatAddress(addressOf(meta))} errors={errors} unsaid={diagnosis?.error?.unsaid === true} />
      {query.isError && (
        <div className="answer-trouble" role="alert">
          <p>Causes could not be ranked: {query.error.message} The error above is complete.</p>
          <Button onClick={() => void query.refetch()}>Try again</Button>
          <CopyButton text={query.error.message} label="Copy details" />
        </div>
      )}
      {diagnosis ? (
        <Facts diagnosis={diagnosis} acts={acts} />
      ) : (
        state === 'loading' && <p className="answer-facts">{'\u00a0'}</p>
      )}
      {state === 'loading' && meta.status === 'failed' && <Reading lines={isNarrow || isShort ? 1 : 3} />}
      {diagnosis && tone !== 'recovered' && (
        <Causes diagnosis={diagnosis} acts={acts} isNarrow={isNarrow} most={isNarrow || isShort ? 1 : SHOWN} />
      )}
      {isNarrow && buttons}
    </section>
  );
}

interface ToldError {
  readonly text: string;
  readonly node?: string | undefined;
}

/** Every node that failed in the step, else what the answer says. */
const isSame = ({ history: { selected } }: Workbench, meta: CheckpointMeta): boolean =>
  selected?.id === meta.id && selected.namespace === meta.namespace;

function errorsOf(
  diagnosis: Diagnosis | undefined,
  beside: BesideAnswer | undefined,
  listed: string | undefined,
): readonly ToldError[] {
  const told = beside?.errors?.filter(({ text }) => text.trim() !== '') ?? [];
  if (told.length > 0) return told;
  if (diagnosis === undefined && listed !== undefined) return [{ text: listed }];
  const { error } = diagnosis ?? {};
  return error === undefined || error.unsaid === true ? [] : [{ text: error.message }];
}

function stepOf({ stepIndex, totalSteps }: CheckpointMeta): string {
  if (stepIndex === undefined || stepIndex < 0) return '';
  return totalSteps === undefined || totalSteps < stepIndex
    ? `step ${stepIndex}`
    : `step ${stepIndex} of ${totalSteps}`;
}

/** All of it can be read: what is long is behind a button. */
function Errors({ errors, unsaid }: { readonly errors: readonly ToldError[]; readonly unsaid: boolean }) {
  const shown = useShown();
  if (errors.length === 0) return <p className="answer-unsaid">{unsaid ? 'No message was stored.' : '\u00a0'}</p>;
  return (
    <Clamped className="answer-errors" testId="answer-error">
      {errors.map(({ node, text }, index) => (
        <p key={index}>
          {errors.length > 1 && node !== undefined && <b>{shown(quotedName(node))} failed. </b>}
          {shown(text)}
        </p>
      ))}
    </Clamped>
  );
}

function Facts({ diagnosis, acts }: { readonly diagnosis: Diagnosis; readonly acts: AnswerActs }) {
  const shown = useShown();
  const { lastGood, recovered } = diagnosis;
  const unread = examinedWords(diagnosis);
  const goodName = lastGood && shortName(lastGood);
  const onName = recovered && shortName(recovered);
  return (
    <p className="answer-facts">
      {recovered && (
        <span>
          <button type="button" className="link step-link" onClick={() => acts.show(recovered.ref)}>
            {numberOf(recovered)}
          </button>
          {onName !== undefined && ` ${shown(onName)}`} continued. This failure did not stop the task.
        </span>
      )}
      {lastGood ? (
        <span>
          <Icon of={Flag} size={12} /> Last good{' '}
          <button type="button" className="link step-link" onClick={() => acts.show(lastGood.ref)}>
            {numberOf(lastGood)}
          </button>
          {goodName !== undefined && lastGood.back > 0 && ` ${shown(goodName)}`}
          {lastGood.back === 0 ? ': ' : ', '}
          {backWords(lastGood)}.
        </span>
      ) : (
        <span>{NO_LAST_GOOD}.</span>
      )}
      {!recovered && lastGood?.holds && <span>{holdsWords(lastGood.holds)}</span>}
      {unread !== undefined && <span>{unread}</span>}
    </p>
  );
}

interface CausesProps {
  readonly diagnosis: Diagnosis;
  readonly acts: AnswerActs;
  readonly isNarrow: boolean;
  /** So many causes before one asks for the rest. */
  readonly most: number;
}

const SHOWN = 3;
/** Of guesses the first are worth a look. */
const GUESSES = 2;

function Causes({ diagnosis: { suspects, outcome, lastGood }, acts, isNarrow, most }: CausesProps) {
  const isGuess = outcome === 'unclear';
  const hasGood = lastGood !== undefined && lastGood.back > 0;
  return (
    <div className={clsx('answer-causes', isGuess && 'unclear')}>
      {isGuess && (
        <div className="answer-unclear">
          <p>
            <b>No single change is clearly the cause.</b> It may also lie outside the saved state: in a service, a
            prompt or the code.
          </p>
          <p>
            Look at <Way onClick={() => acts.view('changes')}>what this step changed</Way>, read{' '}
            <Way onClick={() => acts.view('state')}>the state it failed on</Way>
            {hasGood && <>, or compare with the last good checkpoint</>}.
          </p>
        </div>
      )}
      <Suspects
        suspects={isGuess ? suspects.slice(0, isNarrow ? 1 : GUESSES) : suspects}
        isGuess={isGuess}
        most={most}
        {...acts.suspectActs}
      />
    </div>
  );
}

const Way = ({ onClick, children }: { readonly onClick: () => void; readonly children: string }) => (
  <button type="button" className="link" onClick={onClick}>
    {children}
  </button>
);

/** Where suspects will be, in their height. */
function Reading({ lines }: { readonly lines: number }) {
  return (
    <div className="answer-causes answer-reading" role="status" aria-label="Reading the branch for likely causes">
      <p className="small">Reading this branch for likely causes</p>
      {Array.from({ length: lines }, (_, at) => (
        <i key={at} aria-hidden="true" />
      ))}
    </div>
  );
}

function NextButtons({ diagnosis, acts }: { readonly diagnosis: Diagnosis; readonly acts: AnswerActs }) {
  const { lastGood, recovered } = diagnosis;
  const next = acts.next(diagnosis);
  return (
    <span className="answer-buttons">
      <Button
        icon={Columns2}
        disabledReason={lastGood ? undefined : NO_LAST_GOOD}
        onClick={() => acts.compare(diagnosis)}
        title={lastGood && lastGood.back > 0 ? `Compare with the last good one, ${numberOf(lastGood)}` : undefined}
        data-testid="answer-compare"
      >
        Compare
      </Button>
      {!recovered && !isFile() && (
        <Button
          variant={lastGood ? 'primary' : 'default'}
          icon={next.kind === 'fork' ? GitFork : RotateCcw}
          disabledReason={next.disabledReason}
          onClick={next.run}
          data-testid="answer-next"
        >
          {next.label}
        </Button>
      )}
    </span>
  );
}

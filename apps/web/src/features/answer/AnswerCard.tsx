/** The answer in a few lines of links, for where the checkpoint itself is not open: previews and comparisons. */
import { type Address, formatAddress, NO_LAST_GOOD } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Flag } from 'lucide-react';
import { Clamped, Icon } from '../../components/index.ts';
import type { Diagnosis } from '../../lib/api.ts';
import { checkpointPage, taskPage } from '../../lib/address.ts';
import { useRested } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { diagnosisQuery } from '../../lib/queries.ts';
import { PathText } from '../diff/DiffRow.tsx';
import { SuspectChange } from './Suspects.tsx';
import { backWords, holdsWords, numberOf, pathWords, quotedName, shortName } from './words.ts';
import './answer.css';

const SHOWN = 3;
/** Of guesses the first are worth a look. */
const GUESSES = 2;
const REST_MS = 120;

interface AnswerCardProps {
  /** The failed checkpoint. */
  readonly at: Address;
  /** A message that is shown beside it already. */
  readonly said?: string | undefined;
}

/** Error, failing step, last good and the likely causes; it keeps its room while they are read. */
export function AnswerCard({ at, said }: AnswerCardProps) {
  const place = formatAddress(at);
  // Moving through a list asks for nothing on the way.
  const rested = useRested(place, REST_MS) === place;
  const { data, isError, error } = useQuery({ ...diagnosisQuery(at), enabled: rested });
  if (isError) return <p className="answer-card small muted">Causes could not be ranked: {error.message}</p>;
  if (data?.outcome === 'healthy') return null;
  return (
    <section
      className="answer-card"
      aria-label="What went wrong"
      data-testid="answer-card"
      data-state={data ? data.outcome : 'loading'}
    >
      {data === undefined ? <Reading /> : <Card store={at.store} diagnosis={data} said={said} />}
    </section>
  );
}

function Reading() {
  return (
    <div className="answer-reading" role="status" aria-label="Reading the branch for likely causes">
      <i aria-hidden="true" />
      <i aria-hidden="true" />
      <i aria-hidden="true" />
    </div>
  );
}

interface CardProps {
  readonly store: string;
  readonly diagnosis: Diagnosis;
  readonly said: string | undefined;
}

function Card({ store, diagnosis, said }: CardProps) {
  const shown = useShown();
  const { error, failingStep, lastGood, outcome, suspects } = diagnosis;
  const holds = holdsWords(lastGood?.holds);
  const isGuess = outcome === 'unclear';
  const name = failingStep && (failingStep.node ?? shortName(failingStep, error?.message));
  return (
    <>
      {error !== undefined && error.message !== said && (
        <Clamped className="answer-card-error">
          {name !== undefined && <b>{shown(quotedName(name))} failed. </b>}
          <span className="data">{error.unsaid === true ? 'No message was stored.' : shown(error.message)}</span>
        </Clamped>
      )}
      <p className="answer-facts">
        <span>
          {lastGood === undefined ? (
            `${NO_LAST_GOOD}.`
          ) : (
            <>
              <Icon of={Flag} size={12} /> Last good <StepLink store={store} step={lastGood} />,{' '}
              {lastGood.back === 0 ? 'whose next step was not saved' : backWords(lastGood)}.
            </>
          )}
        </span>
        {holds !== undefined && <span>{holds}</span>}
      </p>
      {isGuess && (
        <p className="small muted">
          No single change is clearly the cause.{suspects.length > 0 && ' Possible causes:'}
        </p>
      )}
      {suspects.length > 0 && (
        <ol className="answer-card-causes">
          {suspects.slice(0, isGuess ? GUESSES : SHOWN).map((suspect, at) => (
            <li key={`${suspect.ref.id} ${suspect.path}`}>
              <span className={at === 0 && !isGuess ? 'rank first' : 'rank'} aria-hidden="true">
                {at + 1}
              </span>
              <Link
                className="suspect-open"
                {...taskPage(store, suspect.ref.task)}
                search={{ cp: suspect.ref.id, ns: suspect.ref.namespace, view: 'changes', path: suspect.path }}
                data-testid="card-suspect"
              >
                <span className="suspect-change">
                  <PathText text={shown(pathWords(suspect.path))} /> <SuspectChange suspect={suspect} />
                </span>
                <span className="suspect-step">
                  <b>{numberOf(suspect)}</b>
                </span>
                {suspect.reasons.length > 0 && <span className="suspect-why">{shown(suspect.reasons.join(' '))}</span>}
              </Link>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function StepLink({ store, step }: { readonly store: string; readonly step: NonNullable<Diagnosis['lastGood']> }) {
  const shown = useShown();
  const name = shortName(step);
  return (
    <>
      <Link className="link step-link" {...checkpointPage(store, step.ref)}>
        {numberOf(step)}
      </Link>
      {name !== undefined && ` ${shown(name)}`}
    </>
  );
}

/** The answer in a few lines of links, for where the checkpoint itself is not open: previews and comparisons. */
import { type Address, type Explanation, formatAddress, NO_MESSAGE } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Clamped } from '../../components/index.ts';
import { useRested } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { explanationQuery } from '../../lib/queries.ts';
import { Explained } from './Explained.tsx';
import { isWrong, titleOf, toneOf, whoFailed } from './words.ts';
import './answer.css';

const SHOWN = 3;
const REST_MS = 120;

interface AnswerCardProps {
  /** The failed checkpoint. */
  readonly at: Address;
  /** A message that is shown beside it already. */
  readonly said?: string | undefined;
}

/** Error, kind, last good, and what the run wrote. */
export function AnswerCard({ at, said }: AnswerCardProps) {
  const place = formatAddress(at);
  // Moving through a list asks for nothing on the way.
  const rested = useRested(place, REST_MS) === place;
  const { data, isError, error } = useQuery({ ...explanationQuery(at), enabled: rested });
  if (isError) return <p className="answer-card small muted">This run could not be explained: {error.message}</p>;
  if (data !== undefined && !isWrong(data)) return null;
  return (
    <section
      className="answer-card"
      aria-label="What went wrong"
      data-testid="answer-card"
      data-state={data ? data.outcome : 'loading'}
    >
      {data === undefined ? (
        <p className="answer-facts" role="status">
          Reading this run
        </p>
      ) : (
        <Card store={at.store} explanation={data} said={said} />
      )}
    </section>
  );
}

interface CardProps {
  readonly store: string;
  readonly explanation: Explanation;
  readonly said: string | undefined;
}

function Card({ store, explanation, said }: CardProps) {
  const shown = useShown();
  const { error, failingStep } = explanation;
  const tone = toneOf(explanation);
  const who = failingStep && whoFailed(failingStep, failingStep.node, error?.message, failingStep.before === true);
  return (
    <>
      {error !== undefined && error.message !== said && (
        <Clamped className="answer-card-error">
          {who !== undefined && tone !== 'check' && (
            <b>
              <bdi>{shown(titleOf('failed', who, false))}</bdi>.{' '}
            </b>
          )}
          <bdi className="data">{error.unsaid === true ? NO_MESSAGE : shown(error.message)}</bdi>
        </Clamped>
      )}
      <Explained where={{ store }} explanation={explanation} most={SHOWN} heading="h3" />
    </>
  );
}

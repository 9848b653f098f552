import { type CheckpointMeta, sameRef } from '@checkpoint-inspector/core';
import { ArrowRight, History as HistoryIcon, Pencil } from 'lucide-react';
import { Button } from '../../components/index.ts';
import { isFile } from '../../lib/viewer/page.ts';
import { refOf } from '../../lib/address.ts';
import { useShown } from '../../lib/masking.ts';
import { PathText } from '../diff/DiffRow.tsx';
import type { Workbench } from '../workbench/use-workbench.ts';
import { SuspectChange } from './Suspects.tsx';
import { useAnswerActs } from './use-answer-acts.ts';
import { useTaskAnswer } from './held.ts';
import { holdsWords, numberOf, pathWords } from './words.ts';
import './answer.css';

/** On the checkpoint that likely caused the failure: which value, why, and what can be done about it here. */
export function SuspectNote({ bench, meta }: { readonly bench: Workbench; readonly meta: CheckpointMeta }) {
  const diagnosis = useTaskAnswer(bench);
  const acts = useAnswerActs(bench);
  const shown = useShown();
  if (meta.status === 'failed' || diagnosis?.outcome !== 'suspects' || diagnosis.error === undefined) return null;
  const here = diagnosis.suspects.filter(({ ref }) => sameRef(ref, refOf(meta)));
  const suspect = here.find(({ path }) => path === bench.path) ?? here[0];
  if (suspect === undefined) return null;
  const at = diagnosis.suspects.indexOf(suspect);
  const { error } = diagnosis;
  return (
    <section className="answer suspected" aria-label="Likely cause" data-testid="suspect-note">
      <header className="answer-head">
        <span className="rank first" aria-hidden="true">
          {at + 1}
        </span>
        <h3>
          {at === 0 ? 'Likely cause' : 'Possible cause'} of the failure at {numberOf(error)}
        </h3>
      </header>
      <p className="suspect-change">
        <PathText text={shown(pathWords(suspect.path))} /> <SuspectChange suspect={suspect} />
      </p>
      <p className="answer-facts">
        <span>{shown(suspect.reasons.join(' '))}</span>
      </p>
      <div className="answer-buttons">
        <Button icon={HistoryIcon} onClick={() => acts.suspectActs.onHistory(suspect)}>
          History
        </Button>
        {!isFile() && (
          <Button icon={Pencil} onClick={() => acts.suspectActs.onEdit(suspect)} data-testid="suspect-edit">
            Edit, then fork…
          </Button>
        )}
        <Button variant="ghost" icon={ArrowRight} onClick={() => acts.show(error.checkpoint)}>
          Back to {numberOf(error)}
        </Button>
      </div>
    </section>
  );
}

/** A step that failed and saved nothing has no checkpoint, and so no row: it is shown above the one that it ran on. */
export function NotSaved({ bench }: { readonly bench: Workbench }) {
  const diagnosis = useTaskAnswer(bench);
  const acts = useAnswerActs(bench);
  const shown = useShown();
  const [newest] = bench.history.rows;
  if (diagnosis?.failingStep?.before !== true || diagnosis.error === undefined || newest?.isLatest !== true)
    return null;
  const { error, failingStep } = diagnosis;
  const what = shown(error.message);
  return (
    <button
      type="button"
      className="not-saved"
      data-testid="not-saved"
      title={what}
      onClick={() => acts.show(failingStep.ref)}
    >
      <svg width="36" height="44" aria-hidden="true">
        <circle cx="18" cy="18" r="6" />
        <path className="cross" d="M15.5 15.5l5 5m0-5l-5 5" />
        <path d="M18 26V44" />
      </svg>
      <span className="not-saved-line">
        <b className="cut">{failingStep.node === undefined ? 'The next step' : shown(failingStep.node)}</b>
        <span className="badge">not saved</span>
      </span>
      <span className="not-saved-line small cut">{what}</span>
    </button>
  );
}

/** For the foot of the history: from where to where the suspect value is held. */
export function HeldNote({ bench }: { readonly bench: Workbench }) {
  const diagnosis = useTaskAnswer(bench);
  const words = holdsWords(diagnosis?.lastGood?.holds);
  return words === undefined ? null : <p className="held-note">{words}</p>;
}

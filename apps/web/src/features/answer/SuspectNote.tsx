import { type CheckpointMeta, sameRef } from '@checkpoint-inspector/core';
import { ArrowRight, History as HistoryIcon, Pencil } from 'lucide-react';
import { Button } from '../../components/index.ts';
import { refOf } from '../../lib/address.ts';
import { useShown } from '../../lib/masking.ts';
import { PathText } from '../diff/DiffRow.tsx';
import type { Workbench } from '../workbench/use-workbench.ts';
import { SuspectChange } from './Suspects.tsx';
import { useAnswerActs } from './use-answer-acts.ts';
import { useDiagnosis } from './use-diagnosis.ts';
import { holdsWords, numberOf, pathWords } from './words.ts';
import './answer.css';

/** The end of the task, where it failed: what other checkpoints are told about it. */
const useTaskAnswer = ({ history }: Workbench) =>
  useDiagnosis(history.rows.find((row) => row.isLatest && row.status === 'failed')).data;

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
        <Button icon={Pencil} onClick={() => acts.suspectActs.onEdit(suspect)} data-testid="suspect-edit">
          Edit, then fork…
        </Button>
        <Button variant="ghost" icon={ArrowRight} onClick={() => acts.show(error.checkpoint)}>
          Back to {numberOf(error)}
        </Button>
      </div>
    </section>
  );
}

/** For the foot of the history: from where to where the suspect value is held. */
export function HeldNote({ bench }: { readonly bench: Workbench }) {
  const diagnosis = useTaskAnswer(bench);
  const words = holdsWords(diagnosis?.lastGood?.holds);
  return words === undefined ? null : <p className="held-note">{words}</p>;
}

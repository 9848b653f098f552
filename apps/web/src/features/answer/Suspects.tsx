import clsx from 'clsx';
import { Ellipsis, History as HistoryIcon, Pencil } from 'lucide-react';
import { useState } from 'react';
import { Icon, Menu } from '../../components/index.ts';
import { isFile } from '../../lib/viewer/page.ts';
import type { Suspect } from '../../lib/api.ts';
import { useShown } from '../../lib/masking.ts';
import { PathText } from '../diff/DiffRow.tsx';
import { changeOf, numberOf, pathWords, shortName, valueHeads } from './words.ts';

export interface SuspectActs {
  /** The diff at this value, at its checkpoint. */
  readonly onOpen: (suspect: Suspect) => void;
  readonly onHistory: (suspect: Suspect) => void;
  readonly onEdit: (suspect: Suspect) => void;
}

interface SuspectsProps extends SuspectActs {
  readonly suspects: readonly Suspect[];
  /** They score too low to be called causes. */
  readonly isGuess: boolean;
  /** So many are shown before one asks for the rest. */
  readonly most: number;
}

/** The likely causes, best first. They are suggestions and are called so. */
export function Suspects({ suspects, isGuess, most, ...acts }: SuspectsProps) {
  const [all, setAll] = useState(false);
  const [explained, setExplained] = useState(false);
  if (suspects.length === 0) return null;
  const listed = all ? suspects : suspects.slice(0, most);
  const more = suspects.length - listed.length;
  const one = listed.length === 1;
  const [word, words] = isGuess ? ['guess', 'guesses'] : ['suggestion', 'suggestions'];
  const head = `${isGuess ? 'Possible' : 'Likely'} ${one ? 'cause' : 'causes'}`;
  return (
    <section className="suspects" aria-label={head} data-testid="suspects">
      <div className="suspects-head">
        <h3>{head}</h3>
        <span className="muted">{one ? `a ${word}` : `${words}, most likely first`}</span>
        <span className="end">
          {more > 0 && (
            <button type="button" className="link" onClick={() => setAll(true)}>
              {more} more
            </button>
          )}
          <button
            type="button"
            className="link suspects-how"
            aria-expanded={explained}
            onClick={() => setExplained(!explained)}
          >
            How they are ranked
          </button>
        </span>
      </div>
      {explained && (
        <p className="suspects-explained">
          Every change on this branch is compared with its siblings, with what its step had read and usually writes, and
          with the words of the error. Independent reasons add up. No model is asked, and nothing leaves this machine.
        </p>
      )}
      <ol>
        {listed.map((suspect, at) => (
          <SuspectRow
            key={`${suspect.ref.id} ${suspect.path}`}
            suspect={suspect}
            rank={at + 1}
            isGuess={isGuess}
            {...acts}
          />
        ))}
      </ol>
    </section>
  );
}

interface SuspectRowProps extends SuspectActs {
  readonly suspect: Suspect;
  readonly rank: number;
  readonly isGuess: boolean;
}

function SuspectRow({ suspect, rank, isGuess, onOpen, onHistory, onEdit }: SuspectRowProps) {
  const shown = useShown();
  const name = shortName(suspect);
  const path = shown(pathWords(suspect.path));
  return (
    <li className="suspect" data-testid="suspect" data-path={shown(suspect.path)}>
      <span className={clsx('rank', rank === 1 && !isGuess && 'first')} aria-hidden="true">
        {rank}
      </span>
      <button type="button" className="suspect-open" title="Show this change" onClick={() => onOpen(suspect)}>
        <span className="suspect-change">
          <PathText text={path} /> <SuspectChange suspect={suspect} />
        </span>
        <span className="suspect-step">
          <b>{numberOf(suspect)}</b>
          {name !== undefined && <span className="suspect-name"> {shown(name)}</span>}
        </span>
        {suspect.reasons.length > 0 && <span className="suspect-why">{shown(suspect.reasons.join(' '))}</span>}
      </button>
      <Menu
        align="end"
        label={path}
        groups={[
          [
            { label: 'History of this value', icon: HistoryIcon, onSelect: () => onHistory(suspect) },
            ...(isFile()
              ? []
              : [{ label: 'Edit this value, then fork…', icon: Pencil, onSelect: () => onEdit(suspect) }]),
          ],
        ]}
        trigger={
          <button type="button" className="btn ghost only-icon sm" aria-label={`More about cause ${rank}`}>
            <Icon of={Ellipsis} />
          </button>
        }
      />
    </li>
  );
}

/** `4.2 → 4200`, the new value strong. */
export function SuspectChange({ suspect }: { readonly suspect: Suspect }) {
  const { before, sign, after } = changeOf(suspect);
  const [old, now] = valueHeads(suspect, useShown());
  return (
    <span className={clsx('suspect-values', suspect.kind)}>
      {sign !== '→' && <i>{sign} </i>}
      {before !== undefined && <span>{old}</span>}
      {sign === '→' && <i> → </i>}
      {after !== undefined && <b>{now}</b>}
    </span>
  );
}

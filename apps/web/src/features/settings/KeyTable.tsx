import { useEffect, useRef, useState } from 'react';
import { Button } from '../../components/index.ts';
import { keyName } from '../../lib/keys.ts';
import { changeSettings, type Settings } from '../../lib/settings.ts';
import { conflictOf, KEY_GROUPS, keysOf, signsOf } from '../shell/key-sheet.ts';

interface KeyTableProps {
  readonly on: boolean;
  readonly remap: Settings['remap'];
}

interface Asked {
  readonly key: string;
  readonly does: string;
}

/** Every key with what it does; a press on it asks for another one. */
export function KeyTable({ on, remap }: KeyTableProps) {
  const [asked, setAsked] = useState<Asked>();
  const [problem, setProblem] = useState<string>();
  const opener = useRef<HTMLElement>(null);
  const close = (): void => {
    setAsked(undefined);
    opener.current?.focus();
  };
  const take = (wanted: string): void => {
    if (!asked) return;
    const conflict = conflictOf(asked.key, wanted, remap);
    if (conflict !== undefined) return setProblem(conflict);
    const { [asked.key]: _, ...others } = remap;
    changeSettings({ remap: wanted === asked.key ? others : { ...others, [asked.key]: wanted } });
    close();
  };
  useCapture(asked !== undefined, take, close);
  const changed = Object.keys(remap).length;
  return (
    <>
      <p role="status" className="settings-status" data-testid="key-status">
        {asked && (
          <>
            Press the new key for “{asked.does}”, now {signsOf(remap[asked.key] ?? asked.key).join(' ')}. Escape keeps
            it. {problem !== undefined && <b>{problem}</b>}
          </>
        )}
      </p>
      <div className="settings-keys">
        {KEY_GROUPS.map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            <ul>
              {group.lines.map((line) => (
                <li key={`${line.does} ${line.keys.join(' ')}`}>
                  <span className="settings-key-row">
                    {keysOf(line).map((key) => (
                      <KeyButton
                        key={key}
                        signs={signsOf(remap[key] ?? key)}
                        does={line.does}
                        changed={Object.hasOwn(remap, key)}
                        fixed={line.fixed === true || key.startsWith('Ctrl+')}
                        asked={asked?.key === key && asked.does === line.does}
                        onAsk={(element) => {
                          opener.current = element;
                          setProblem(undefined);
                          setAsked({ key, does: line.does });
                        }}
                      />
                    ))}
                  </span>
                  {line.does}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      {changed > 0 && (
        <Button onClick={() => changeSettings({ remap: {} })}>
          Put {changed === 1 ? 'the changed key' : `all ${changed} keys`} back
        </Button>
      )}
      {!on && <p className="small muted">Keys are off for now; your choices are kept.</p>}
    </>
  );
}

interface KeyButtonProps {
  readonly signs: readonly string[];
  readonly does: string;
  readonly changed: boolean;
  readonly fixed: boolean;
  readonly asked: boolean;
  readonly onAsk: (element: HTMLElement) => void;
}

function KeyButton({ signs, does, changed, fixed, asked, onAsk }: KeyButtonProps) {
  const keys = signs.map((sign, place) => <kbd key={`${place} ${sign}`}>{sign}</kbd>);
  if (fixed) return <span className="settings-key">{keys}</span>;
  return (
    <button
      type="button"
      className={asked ? 'settings-key asked' : changed ? 'settings-key changed' : 'settings-key'}
      aria-label={`Change ${signs.join(' ')}: ${does}`}
      onClick={(event) => onAsk(event.currentTarget)}
    >
      {keys}
    </button>
  );
}

/** Begin sequences: the key after them is waited for. */
const STARTS = new Set(['g', 'y']);

/** Takes the next key before anything else on the page sees it. */
function useCapture(active: boolean, onKey: (name: string) => void, onEscape: () => void): void {
  const latest = useRef({ onKey, onEscape });
  latest.current = { onKey, onEscape };
  useEffect(() => {
    if (!active) return undefined;
    let first = '';
    const listen = (event: KeyboardEvent): void => {
      const name = keyName(event);
      if (name === undefined || /^(?:Shift|Control|Alt|Meta|Tab)$/.test(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      if (name === 'Escape') return latest.current.onEscape();
      if (name.startsWith('Ctrl+')) return;
      if (first === '' && STARTS.has(name)) {
        first = name;
        return;
      }
      latest.current.onKey(first === '' ? name : `${first} ${name}`);
      first = '';
    };
    window.addEventListener('keydown', listen, { capture: true });
    return () => window.removeEventListener('keydown', listen, { capture: true });
  }, [active]);
}

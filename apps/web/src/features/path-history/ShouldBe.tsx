import { type Address, type CheckAnswer, checkWords } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { type KeyboardEvent, type SyntheticEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../components/index.ts';
import { shownHead } from '../../lib/format.ts';
import { tryParse } from '../../lib/json.ts';
import { isSecret, useShown, useShownJson } from '../../lib/masking.ts';
import { explanationQuery } from '../../lib/queries.ts';
import { stepPage, type Where } from '../answer/Explained.tsx';
import { lookedWords, numberOf } from '../answer/words.ts';
import { answerAsked, useAsked } from './ask.ts';
import './path-history.css';

/** The question travels in an address, which has a limit. */
const MAX_VALUE = 2000;
const SHOWN = 60;

interface ShouldBeProps {
  readonly where: Where;
  /** The newest checkpoint of the branch. */
  readonly end: Address;
  readonly path: string;
  /** JSON text of the value in view; absent where it is not whole. */
  readonly value: string | undefined;
}

/** "This should be …": the first checkpoint of the branch in which it is not. */
export function ShouldBe(props: ShouldBeProps) {
  const [opened, setOpened] = useState<string>();
  const trigger = useRef<HTMLButtonElement>(null);
  const from = useRef<Element>(undefined);
  const { path } = props;
  const asked = useAsked('should-be', path);
  const open = useCallback((): void => {
    from.current = document.activeElement ?? undefined;
    setOpened(path);
  }, [path]);
  useEffect(() => {
    if (!asked) return;
    answerAsked();
    open();
  }, [asked, open]);
  const close = (): void => {
    setOpened(undefined);
    // Whatever asked may be gone, as the item of a menu is.
    const back = from.current;
    if (back instanceof HTMLElement && back !== document.body && back.isConnected) back.focus();
    if (document.activeElement !== back) trigger.current?.focus();
  };
  const isOpen = opened === path;
  return (
    <section className="section should-be" data-testid="should-be">
      <Button
        ref={trigger}
        size="sm"
        variant="ghost"
        icon={ListChecks}
        kbd="s"
        aria-expanded={isOpen}
        onClick={isOpen ? close : open}
      >
        This should be…
      </Button>
      {isOpen && <ShouldBeForm key={path} {...props} onClose={close} />}
    </section>
  );
}

function ShouldBeForm({ where, end, path, value, onClose }: ShouldBeProps & { readonly onClose: () => void }) {
  const isPrefilled = value !== undefined && value.length <= MAX_VALUE && !isSecret(value, path);
  const [text, setText] = useState(isPrefilled ? value : '');
  const [asked, setAsked] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const [hint, label] = [useId(), useId()];
  useEffect(() => {
    // A menu that was used for it gives the focus back first.
    const frame = requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.select();
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const wrong = problemOf(text.trim(), path);
    setProblem(wrong);
    setAsked(wrong === undefined ? `${path}=${text.trim()}` : undefined);
    if (wrong !== undefined) field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    <form className="should-be-form" onSubmit={submit} onKeyDown={onKeyDown} data-own-escape="">
      <label id={label} className="small muted" htmlFor={`${label}-field`}>
        Should be, as JSON
      </label>
      <span className="flex">
        <span className="field grow">
          <input
            ref={field}
            id={`${label}-field`}
            type="text"
            className="data"
            value={text}
            spellCheck={false}
            autoComplete="off"
            aria-invalid={problem !== undefined}
            aria-describedby={hint}
            data-testid="should-be-value"
            onChange={(event) => setText(event.target.value)}
          />
        </span>
        <Button type="submit" size="sm">
          Check
        </Button>
      </span>
      <p id={hint} className="small" role="status" aria-live="polite" data-testid="should-be-answer">
        {problem ?? (asked !== undefined && <Answer where={where} end={end} expect={asked} />)}
      </p>
    </form>
  );
}

/** Why it can't be asked; absent where it can. */
function problemOf(text: string, path: string): string | undefined {
  if (text === '') return 'Type the value it should have, as JSON.';
  if ('error' in tryParse(text)) return `This isn't JSON. A text needs double quotes: "value".`;
  if (text.length > MAX_VALUE) return `Longer than ${MAX_VALUE} characters: use explain --expect instead.`;
  return isSecret(text, path)
    ? "This contains a secret, which must not be part of an address: it can't be checked here."
    : undefined;
}

function Answer({ where, end, expect }: Pick<ShouldBeProps, 'where' | 'end'> & { readonly expect: string }) {
  const { data, error } = useQuery(explanationQuery(end, { expect }));
  const shown = useShown();
  if (error) return shown(error.message);
  if (data?.check === undefined) return data === undefined ? 'Looking…' : shown(lookedWords(data).join(' '));
  return <Checked where={where} check={data.check} />;
}

function Checked({ where, check }: { readonly where: Where; readonly check: CheckAnswer }) {
  const shown = useShown();
  const shownJson = useShownJson();
  const head = (json: string, path: string): string => shownHead(shownJson, json, SHOWN, path);
  const { path, firstBroken, found } = check;
  if (firstBroken === undefined) return <bdi>{shown(checkWords(check, head))}</bdi>;
  return (
    <>
      First broken at{' '}
      <Link className="link" {...stepPage(where, firstBroken, path)} data-testid="first-broken">
        {numberOf(firstBroken)} <bdi>{shown(firstBroken.description ?? '')}</bdi>
      </Link>
      . {found === undefined ? 'It has no value at the end.' : 'At the end it is '}
      {found !== undefined && (
        <>
          <bdi className="data">{head(found, path)}</bdi>.
        </>
      )}
    </>
  );
}

/** The parts of an explanation, each value and step a link: for the open checkpoint, previews and comparisons. */
import {
  againstWords,
  type CheckpointRef,
  type Explanation,
  formatAddress,
  kindWords,
  missingWords,
  type Named,
  NO_LAST_GOOD,
  type Origin,
  originWords,
  type StepRef,
  type Unusual,
  type Write,
} from '@checkpoint-inspector/core';
import { Link } from '@tanstack/react-router';
import { Columns2, Flag } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Icon } from '../../components/index.ts';
import { taskPage, toAddress } from '../../lib/address.ts';
import { formatCount, plural, shownHead } from '../../lib/format.ts';
import { useShown, useShownJson } from '../../lib/masking.ts';
import type { WorkbenchSearch } from '../../lib/search.ts';
import { PathText } from '../diff/DiffRow.tsx';
import { backWords, type ChangedValue, lookedWords, numberOf, pathWords, shortName, valueHeads } from './words.ts';
import './answer.css';

/** Where links lead: a store, and what of the address stays as it is. */
export interface Where {
  readonly store: string;
  readonly keep?: Partial<WorkbenchSearch>;
}

/** The page of a checkpoint; with a path, what its step changed there. */
export const stepPage = ({ store, keep }: Where, ref: CheckpointRef, path?: string) => ({
  ...taskPage(store, ref.task),
  search: {
    ...keep,
    cp: ref.id,
    ns: ref.namespace,
    pane: 'content' as const,
    ...(path === undefined ? {} : { path, view: 'changes' as const }),
  },
});

interface StepProps {
  readonly where: Where;
  readonly step: StepRef;
  readonly path?: string | undefined;
}

/** `#07` as a link. */
export const StepLink = ({ where, step, path }: StepProps) => (
  <Link className="link step-link" {...stepPage(where, step, path)}>
    {numberOf(step)}
  </Link>
);

/** `4.2 → 4200`, the new value strong; a value that came or went has a sign before it. */
export function ValueChange({ change }: { readonly change: ChangedValue }) {
  const [old, now] = valueHeads(change, useShownJson());
  const { before, after } = change;
  const sign = before === undefined ? '+ ' : after === undefined ? '− ' : ' → ';
  return (
    <span className="value-change" dir="ltr">
      {before !== undefined && after !== undefined && <bdi>{old}</bdi>}
      <i>{sign}</i>
      {after === undefined ? <bdi className="value-gone">{old}</bdi> : <bdi className="strong">{now}</bdi>}
    </span>
  );
}

interface ExplainedProps {
  readonly where: Where;
  readonly explanation: Explanation;
  /** So many lines of each part before one asks for the rest. */
  readonly most: number;
  /** Of each part: one below what is above it. */
  readonly heading: 'h3' | 'h4';
  /** What can be done with a write, and with an unusual value. */
  readonly renderOfWrite?: (write: Write) => ReactNode;
  readonly renderOfUnusual?: (unusual: Unusual) => ReactNode;
}

/** The kind of failure, the facts, and what was written; of a failure that the run recovered from the facts alone. */
export function Explained({ where, explanation, most, heading, renderOfWrite, renderOfUnusual }: ExplainedProps) {
  const shown = useShown();
  const value = useHead();
  const { kind, recovered, named, writes, unusual, note } = explanation;
  const words = recovered ? undefined : kindWords(explanation, value);
  return (
    <>
      {words !== undefined && <p className="answer-kind">{shown(words)}</p>}
      <Facts where={where} explanation={explanation} />
      {note !== undefined && <p className="answer-facts">{shown(note)}</p>}
      {recovered === undefined && (
        <>
          <Lines heading={heading} title="The error names" testId="named-list" items={named} most={most}>
            {(one) => <NamedLine key={`${one.text} ${one.path ?? ''}`} where={where} named={one} />}
          </Lines>
          {/* Where a service failed, no value of the state did. */}
          <Lines
            heading={heading}
            title="What this run wrote"
            testId="writes"
            items={writes}
            most={kind === 'outside' ? 0 : most}
          >
            {(write) => (
              <WriteLine key={`${write.ref.id} ${write.path}`} where={where} write={write}>
                {renderOfWrite?.(write)}
              </WriteLine>
            )}
          </Lines>
          <AgainstPart where={where} explanation={explanation} />
          <Lines heading={heading} title="Unusual" testId="unusual-list" items={unusual} most={UNUSUAL}>
            {(one) => (
              <UnusualLine key={`${one.ref.id} ${one.path}`} where={where} unusual={one}>
                {renderOfUnusual?.(one)}
              </UnusualLine>
            )}
          </Lines>
        </>
      )}
    </>
  );
}

const UNUSUAL = 3;
const VALUE_LENGTH = 80;

/** Of a value its beginning, masked before it is cut. */
function useHead(): (json: string, path: string) => string {
  const shown = useShownJson();
  return (json, path) => shownHead(shown, json, VALUE_LENGTH, path);
}

/** The last good checkpoint, what continued after the failure, and how far the run was looked at. */
function Facts({ where, explanation }: { readonly where: Where; readonly explanation: Explanation }) {
  const shown = useShown();
  const { lastGood, recovered } = explanation;
  return (
    <p className="answer-facts">
      {recovered && (
        <span>
          <StepLink where={where} step={recovered} /> <StepName step={recovered} /> continued. This failure did not stop
          the task.
        </span>
      )}
      <span>
        {lastGood === undefined ? (
          `${NO_LAST_GOOD}.`
        ) : (
          <>
            <Icon of={Flag} size={12} /> Last good <StepLink where={where} step={lastGood} />
            <StepName step={lastGood} />, {backWords(lastGood)}.
          </>
        )}
      </span>
      {lookedWords(explanation).map((words) => (
        <span key={words}>{shown(words)}</span>
      ))}
    </p>
  );
}

/** The name of a step, after its number. */
function StepName({ step, agent }: { readonly step: StepRef; readonly agent?: string | undefined }) {
  const shown = useShown();
  const name = shortName(step) ?? agent;
  return name === undefined ? null : (
    <>
      {' '}
      <bdi className="step-name">{shown(name)}</bdi>
    </>
  );
}

interface LinesProps<Item> extends Pick<ExplainedProps, 'heading'> {
  readonly title: string;
  readonly testId: string;
  readonly items: readonly Item[];
  /** So many are shown before one asks for the rest. */
  readonly most: number;
  readonly children: (item: Item) => ReactNode;
}

/** A heading with a line for each; the rest is behind a button, which stays where it is. */
function Lines<Item>({ heading: Heading, title, testId, items, most, children }: LinesProps<Item>) {
  const [all, setAll] = useState(false);
  const id = useId();
  if (items.length === 0) return null;
  const rest = items.length - most;
  return (
    <section className="answer-part" aria-labelledby={id} data-testid={testId}>
      <div className="answer-part-head">
        <Heading id={id}>{title}</Heading>
        {rest > 0 && (
          <button type="button" className="link" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Fewer' : most === 0 ? plural(rest, 'step') : `${formatCount(rest)} more`}
          </button>
        )}
      </div>
      {(all || most > 0) && <ul>{(all ? items : items.slice(0, most)).map(children)}</ul>}
    </section>
  );
}

interface WriteLineProps {
  readonly where: Where;
  readonly write: Write;
  readonly children?: ReactNode;
}

/** `#07 fetch_b revenue.CompanyB 4.2 → 4200, from search_prices, #06` */
function WriteLine({ where, write, children }: WriteLineProps) {
  const shown = useShown();
  const { ref, agent, path, origin, more = 0 } = write;
  const title = [ref.description, agent].flatMap((text) => (text === undefined ? [] : [shown(text)])).join(', ');
  return (
    <li className="answer-line" data-testid="write" data-path={shown(path)}>
      <span className="answer-line-words">
        <Link className="answer-open" title={title} {...stepPage(where, ref, path)}>
          <b className="step-link">{numberOf(ref)}</b>
          <StepName step={ref} agent={agent} /> <PathName path={path} /> <ValueChange change={write} />
        </Link>
        {origin && <From where={where} origin={origin} />}
        {more > 0 && <span className="answer-quiet">+{formatCount(more)} more</span>}
      </span>
      {children}
    </li>
  );
}

const PathName = ({ path }: { readonly path: string }) => (
  <bdi className="answer-path">
    <PathText text={useShown()(pathWords(path))} />
  </bdi>
);

function From({ where, origin: { ref, ...origin } }: { readonly where: Where; readonly origin: Origin }) {
  const shown = useShown();
  return (
    <span className="answer-quiet" data-testid="origin">
      <bdi>{shown(originWords(origin))}</bdi>
      {ref && (
        <>
          , <StepLink where={where} step={ref} />
        </>
      )}
    </span>
  );
}

/** What the error names, with who wrote it last. */
function NamedLine({ where, named }: { readonly where: Where; readonly named: Named }) {
  const shown = useShown();
  const { text, path, ref, before, after } = named;
  const isPath = path === undefined || pathWords(path) === text || path === text;
  return (
    <li className="answer-line" data-testid="named">
      <span className="answer-line-words">
        <bdi className="answer-path strong">{shown(text)}</bdi>
        {ref === undefined || path === undefined ? (
          <span className="answer-quiet">
            {ref === undefined ? (
              'never written in this run'
            ) : (
              <>
                last written in <StepLink where={where} step={ref} />
              </>
            )}
          </span>
        ) : (
          <Link className="answer-open" {...stepPage(where, ref, path)}>
            {!isPath && <PathName path={path} />}{' '}
            {(before !== undefined || after !== undefined) && <ValueChange change={{ ...named, path }} />}{' '}
            <span className="answer-quiet">last written in</span> <b className="step-link">{numberOf(ref)}</b>
            <StepName step={ref} />
          </Link>
        )}
      </span>
    </li>
  );
}

interface UnusualLineProps {
  readonly where: Where;
  readonly unusual: Unusual;
  readonly children?: ReactNode;
}

function UnusualLine({ where, unusual, children }: UnusualLineProps) {
  const shown = useShown();
  const { ref, path, reason } = unusual;
  return (
    <li className="answer-line" data-testid="unusual" data-path={shown(path)}>
      <span className="answer-line-words">
        <Link className="answer-open" {...stepPage(where, ref, path)}>
          <b className="step-link">{numberOf(ref)}</b> <PathName path={path} /> <ValueChange change={unusual} />
        </Link>
        <bdi className="answer-quiet">{shown(reason)}</bdi>
      </span>
      {children}
    </li>
  );
}

const MISSING = 2;

/** The good run that this one is compared with; the comparison lets one choose another. */
function AgainstPart({ where, explanation }: { readonly where: Where; readonly explanation: Explanation }) {
  const shown = useShown();
  const value = useHead();
  const { against, failingStep, error } = explanation;
  const end = error?.ref ?? failingStep;
  if (against === undefined || end === undefined) return null;
  const differ = against.differs.length + (against.more ?? 0);
  const search = {
    a: formatAddress(toAddress(where.store, against.end)),
    b: formatAddress(toAddress(where.store, end)),
  };
  return (
    <section className="answer-part" aria-label="Against a good run" data-testid="against">
      <p>
        <bdi>{shown(againstWords(against))}</bdi>. {plural(differ, 'end value differs', 'end values differ')}.{' '}
        <Link className="link" to="/compare/runs" search={search} data-testid="against-compare">
          <Icon of={Columns2} size={12} /> Compare, or choose another run
        </Link>
      </p>
      {against.missing.slice(0, MISSING).map((missing, at) => (
        <p key={at} data-testid="missing-call">
          <bdi>{shown(missingWords(missing, value))}</bdi>
        </p>
      ))}
    </section>
  );
}

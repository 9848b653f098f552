import { type Address, InspectorError } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronLeft, ChevronRight, SquareArrowOutUpRight } from 'lucide-react';
import { checkpointQuery, useStore, useStoreLabel } from '../../lib/queries.ts';
import { NOWHERE, taskPage, toAddress } from '../../lib/address.ts';
import { Badge, Button, Icon, IconButton, StatusIcon } from '../../components/index.ts';
import { formatSize, showId, stepNumber } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { stepName, timeWords } from '../history/HistoryRow.tsx';
import { CheckpointPicker } from './CheckpointPicker.tsx';
import { useNeighbours } from './Lineage.tsx';
import { WhyFailed } from './WhyFailed.tsx';

interface SideProps {
  readonly name: 'A' | 'B';
  readonly at: Address | undefined;
  readonly other: Address | undefined;
  /** The focused path: it goes along into the workbench. */
  readonly path: string | undefined;
  readonly onPick: (at: Address) => void;
  readonly onStep: (at: Address) => void;
}

/** One side: number, step, status, facts, and the ways to another one and into its workbench. */
export function Side({ name, at, other, path, onPick, onStep }: SideProps) {
  return (
    <section className="compare-end" aria-label={`Side ${name}`} data-testid={`compare-${name.toLowerCase()}`}>
      <div className="flex">
        <span className="compare-letter" aria-hidden="true">
          {name}
        </span>
        <CheckpointPicker
          label={`Choose ${name}`}
          start={at ?? other}
          chosen={at}
          onPick={(store, ref) => onPick(toAddress(store, ref))}
          trigger={
            <Button variant="ghost" className="compare-pick" title={`Choose ${name}`}>
              <span className="sr-only">{name}: </span>
              {at ? <Name at={at} /> : 'Choose a checkpoint'}
              <Icon of={ChevronDown} size={12} />
            </Button>
          }
        />
        {at && <Status at={at} />}
        {at && (
          <span className="end flex compare-ways">
            <Steps name={name} at={at} onStep={onStep} />
            <Link
              className="btn ghost only-icon"
              aria-label={`Open ${name} in the workbench`}
              title={`Open ${name} in the workbench`}
              {...taskPage(at.store, at.task)}
              search={{ cp: at.id, ns: at.namespace, path, ...(name === 'B' ? baseOf(at, other) : {}) }}
            >
              <Icon of={SquareArrowOutUpRight} />
            </Link>
          </span>
        )}
      </div>
      {at && <Facts at={at} />}
      {at && <Failed at={at} />}
    </section>
  );
}

/** In the workbench of B, A is the base, where it is of the same store. */
function baseOf(at: Address, other: Address | undefined) {
  if (other === undefined || other.store !== at.store) return {};
  return { base: other.id, basens: other.namespace, basetask: other.task === at.task ? undefined : other.task };
}

function Name({ at }: { readonly at: Address }) {
  const { data: meta } = useQuery(checkpointQuery(at));
  const shown = useShown();
  return (
    <span className="compare-name cut">
      {meta ? (
        <>
          {stepNumber(meta)} <span>{stepName(meta, shown)}</span>
        </>
      ) : (
        showId(at.id)
      )}
    </span>
  );
}

function Status({ at }: { readonly at: Address }) {
  const { data: meta } = useQuery(checkpointQuery(at));
  const info = useStore(at.store);
  return (
    <span className="flex compare-status">
      {meta && <StatusIcon status={meta.status} size={14} word />}
      {meta?.isLatest && (
        <Badge tone="solid" title={info && `Latest by this rule: ${info.latestRule}`}>
          latest
        </Badge>
      )}
    </span>
  );
}

/** Two states can be equal though one step failed: its error is told here. */
function Failed({ at }: { readonly at: Address }) {
  const { data: meta } = useQuery(checkpointQuery(at));
  return meta === undefined ? null : <WhyFailed meta={meta} />;
}

function Facts({ at }: { readonly at: Address }) {
  const { data: meta, error } = useQuery(checkpointQuery(at));
  const shown = useShown();
  const label = useStoreLabel(at.store);
  return (
    <p className="small muted cut compare-facts">
      {error
        ? shown(error.message)
        : `${showId(at.task)} in ${label}${meta ? ` · ${timeWords(meta)} · ${formatSize(meta.sizeBytes)}` : ''}`}
    </p>
  );
}

function Steps({ name, at, onStep }: Pick<SideProps, 'name' | 'onStep'> & { readonly at: Address }) {
  const { older, newer } = useNeighbours(at);
  return (
    <>
      <IconButton
        label={`${name} one step back`}
        icon={ChevronLeft}
        disabledReason={older ? undefined : 'it has no parent here'}
        onClick={() => older && onStep(toAddress(at.store, older))}
      />
      <IconButton
        label={`${name} one step on`}
        icon={ChevronRight}
        disabledReason={newer ? undefined : 'nothing came after it'}
        onClick={() => newer && onStep(toAddress(at.store, newer))}
      />
    </>
  );
}

/** Whether a side names a checkpoint that is not in its store. */
export function useMissing(at: Address | undefined): boolean {
  const { error } = useQuery({ ...checkpointQuery(at ?? NOWHERE), enabled: at !== undefined });
  return InspectorError.is(error) && error.code === 'not_found';
}

import type { CheckpointRef } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, EmptyState, LinkButton, LoadingBar, QueryError } from '../../components/index.ts';
import { checkpointPage } from '../../lib/address.ts';
import { formatTime, showId } from '../../lib/format.ts';
import { goneQuery } from '../../lib/queries.ts';
import type { GoneAnswer } from '../../lib/api.ts';
import { useChangeDialog } from '../change/index.tsx';

interface GoneProps {
  readonly store: string;
  readonly id: string;
  /** Absent: the link names none. */
  readonly task?: string | undefined;
  readonly ns?: string | undefined;
  /** Where else to go. */
  readonly children?: ReactNode;
}

const TITLES: Readonly<Record<GoneAnswer['state'], string>> = {
  here: 'It is elsewhere',
  trash: 'In the trash',
  deleted: 'Deleted',
  evicted: 'No longer kept',
  never: 'Not found',
};

/** A link to a checkpoint that is missing: in the trash, deleted, evicted or never there, each in its own words. */
export function Gone({ store, id, task, ns, children }: GoneProps) {
  const query = useQuery(goneQuery(store, id, task, ns));
  const { data } = query;
  if (data === undefined) {
    return query.isError ? (
      <QueryError query={query} title="Why this checkpoint is missing could not be read.">
        {children}
      </QueryError>
    ) : (
      <LoadingBar active />
    );
  }
  return (
    <div data-testid="gone" data-gone={data.state}>
      <EmptyState
        title={TITLES[data.state]}
        action={
          <span className="row-of-controls">
            {data.state === 'trash' && <PutBack item={data.item} />}
            {data.state === 'trash' && <LinkButton to="/trash">Look in the trash</LinkButton>}
            {data.state === 'deleted' && <LinkButton to="/activity">Look in Activity</LinkButton>}
            {children}
          </span>
        }
      >
        <Why gone={data} store={store} id={id} task={task} />
      </EmptyState>
    </div>
  );
}

interface PutBackProps {
  readonly item: Extract<GoneAnswer, { readonly state: 'trash' }>['item'];
}

function PutBack({ item }: PutBackProps) {
  const { undo } = useChangeDialog();
  return (
    <Button
      icon={Undo2}
      disabledReason={item.restorable === true ? undefined : item.restorable}
      onClick={() => void undo(item.receiptId)}
    >
      Put back
    </Button>
  );
}

interface WhyProps extends Pick<GoneProps, 'store' | 'id' | 'task'> {
  readonly gone: GoneAnswer;
}

function Why({ gone, store, id, task }: WhyProps) {
  const name = `“${showId(id)}”`;
  const where = task === undefined ? `the store “${store}”` : 'this task';
  switch (gone.state) {
    case 'here':
      return (
        <>
          The checkpoint {name} exists: <To store={store} at={gone.ref} />.
        </>
      );
    case 'trash':
      return (
        <>
          The checkpoint {name} has been in the trash since {formatTime(gone.item.deletedAt)}.
        </>
      );
    case 'deleted':
      return gone.byUndo ? (
        <>The change that made {name} was undone, and the checkpoint with it.</>
      ) : (
        <>
          The checkpoint {name} was deleted from here at {formatTime(gone.at)}, and it is no longer in the trash.
        </>
      );
    case 'evicted':
      return (
        <>
          The checkpoint {name} was in {where} and no longer exists.{' '}
          {gone.rule === undefined
            ? "The agent's own limit or another program removed it."
            : `Evicted by the store's own limit: ${gone.rule}`}{' '}
          {gone.child && (
            <>
              <To store={store} at={gone.child} /> still names it as its parent.
            </>
          )}
        </>
      );
    case 'never':
      return (
        <>
          {capital(where)} has no record of a checkpoint {name}.
        </>
      );
    default:
      return gone satisfies never;
  }
}

const capital = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

function To({ store, at }: { readonly store: string; readonly at: CheckpointRef }) {
  return (
    <Link className="link data-small" {...checkpointPage(store, at)}>
      {showId(at.id)}
    </Link>
  );
}

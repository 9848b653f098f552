import { formatAddress, refKey, type CheckpointMeta, type CheckpointRef } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import {
  CircleAlert,
  GitFork,
  GitPullRequestArrow,
  ListTree,
  RotateCcw,
  TextCursorInput,
  TriangleAlert,
  Undo2,
} from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { checkpointPage, refAt, refOf, taskPage, toAddress } from '../../lib/address.ts';
import { api, type Proposal } from '../../lib/api.ts';
import { checkpointQuery, proposalQuery } from '../../lib/queries.ts';
import { Button, EmptyState, ErrorState, Icon, LoadingBar, QueryError, Skeleton } from '../../components/index.ts';
import { showId, stepNumber } from '../../lib/format.ts';
import { useIsHere, useTitle } from '../../lib/hooks.ts';
import { useBesideAt } from '../beside/use-beside.ts';
import { useChangeBlock, useChangeDialog } from '../change/index.tsx';
import { type Editing, useAuthor, useEdit, useForkedMeanwhile } from './use-edit.ts';
import { layoutJson } from '../../lib/json.ts';
import { useShown } from '../../lib/masking.ts';
import { TextEditor } from './TextEditor.tsx';
import { TreeEditor } from './TreeEditor.tsx';
import { EditReview } from './EditReview.tsx';
import './edit.css';

const route = getRouteApi('/t/$store/$task/edit');

/** Edit a state, then fork: the original stays as it is. */
export function EditRoute() {
  const { store, task } = route.useParams();
  const { cp, ns, proposal: asked } = route.useSearch();
  const proposal = useQuery({ ...proposalQuery(asked ?? ''), enabled: asked !== undefined });
  useTitle(`Edit ${showId(task)}`);
  const at = toAddress(store, refAt(task, cp ?? '', ns));
  const meta = useQuery({ ...checkpointQuery(at), enabled: cp !== undefined });
  const refused = useBesideAt(cp === undefined ? undefined : at)?.refused.edit;
  const blocked = useChangeBlock(store)('edit') ?? refused;
  const isReady = blocked === undefined && (asked === undefined || !proposal.isPending);
  const { opened, reopen } = useOpened(formatAddress(at), isReady ? meta.data : undefined);
  const back = (
    <Link className="btn" {...taskPage(store, task)} search={{ cp, ns }}>
      Back to the checkpoint
    </Link>
  );
  if (cp === undefined) return <EmptyState action={back}>This address names no checkpoint to edit.</EmptyState>;
  if (opened === undefined) {
    if (meta.isError) {
      return (
        <ErrorState error={meta.error} title="This checkpoint could not be read." onRetry={() => void meta.refetch()}>
          {back}
        </ErrorState>
      );
    }
    if (blocked !== undefined)
      return <EmptyState action={back}>This checkpoint can't be edited here: {blocked}</EmptyState>;
    return <Skeleton rows={12} />;
  }
  const meanwhile: Meanwhile = {
    blocked: blocked ?? meta.error?.message,
    onNewer: isReady && meta.data?.revision !== opened.revision ? reopen : undefined,
  };
  const key = `${store} ${refKey(refOf(opened))} ${opened.revision ?? ''}`;
  return <Loaded key={key} meta={opened} meanwhile={meanwhile} proposal={proposal.data} back={back} />;
}

/** What happened since the editor was opened. */
interface Meanwhile {
  /** Why nothing can be saved now. */
  readonly blocked: string | undefined;
  /** Begins with the state that was saved again under the same id; absent where none was. */
  readonly onNewer: (() => void) | undefined;
}

/** The checkpoint as it was when it could first be edited: its editor stays, whatever becomes of it or of the server. */
function useOpened(place: string, ready: CheckpointMeta | undefined) {
  const [opened, setOpened] = useState<{ readonly place: string; readonly meta: CheckpointMeta }>();
  const current = opened?.place === place ? opened.meta : undefined;
  const reopen = (): void => {
    if (ready !== undefined) setOpened({ place, meta: ready });
  };
  // One that can't be read is none that is being edited: it may be unlocked.
  const isEdited = current !== undefined && current.problem === undefined;
  if (!isEdited && ready !== current) reopen();
  return { opened: current, reopen };
}

interface LoadedProps {
  readonly meta: CheckpointMeta;
  readonly meanwhile: Meanwhile;
  readonly proposal: Proposal | undefined;
  readonly back: ReactNode;
}

function Loaded({ meta, meanwhile, proposal, back }: LoadedProps) {
  const edit = useEdit(meta, proposal);
  if (meta.problem !== undefined)
    return <EmptyState action={back}>Its state cannot be read: {meta.problem.message}</EmptyState>;
  if (edit.large) {
    return (
      <EmptyState action={back}>
        This state is too large to edit in a page. The command edits it: checkpoint-inspector edit, with --set for
        single values.
      </EmptyState>
    );
  }
  if (edit.original === undefined && edit.state.isError) {
    return (
      <QueryError query={edit.state} title="The state could not be read.">
        {back}
      </QueryError>
    );
  }
  if (edit.original === undefined) {
    return (
      <>
        <LoadingBar active />
        <Skeleton rows={12} height={24} />
      </>
    );
  }
  return <EditScreen meta={meta} meanwhile={meanwhile} edit={edit} proposal={proposal} back={back} />;
}

interface EditScreenProps extends LoadedProps {
  readonly edit: Editing;
}

function EditScreen({ meta, meanwhile, edit, proposal, back }: EditScreenProps) {
  const { mode = 'tree', path } = route.useSearch();
  const navigate = useNavigate();
  const go = route.useNavigate();
  const dialogs = useChangeDialog();
  const shown = useShown();
  const [author, setAuthor] = useAuthor();
  const [goTo, setGoTo] = useState<{ readonly offset: number }>();
  const { review, text, reason } = edit;
  const changed = useMemo(
    () => new Set(review?.kind === 'edited' ? review.diff.items.map((item) => item.path) : []),
    [review],
  );
  const forks = useForkedMeanwhile(meta);
  const isHere = useIsHere();
  const show = (next: 'tree' | 'text'): void => {
    if (isHere()) void go({ search: (before) => ({ ...before, mode: next }), replace: true });
  };
  const toProblem = (offset: number): void => {
    show('text');
    setGoTo({ offset });
  };
  const refused = meanwhile.blocked ?? unready(edit);
  const fork = (): void => {
    if (refused !== undefined || review?.kind !== 'edited') return;
    const saved = async (ref: CheckpointRef | undefined): Promise<void> => {
      edit.forget();
      // The person's own version was applied in its place.
      if (proposal?.outcome === 'open') await api.dismiss(proposal.id).catch(() => undefined);
      await navigate(checkpointPage(meta.store, ref ?? refAt(meta.taskId, meta.id)));
    };
    dialogs.openEdit(
      meta.store,
      {
        kind: 'edit',
        ref: refOf(meta),
        text: edit.written,
        ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        ...(author.trim() === '' ? {} : { author: author.trim() }),
      },
      <EditReview review={review} />,
      (receipt) => void saved(receipt.written[0]),
    );
  };
  return (
    <section
      className="edit"
      aria-label="Edit state"
      data-testid="edit"
      data-state={review?.kind ?? 'loading'}
      onKeyDown={(event) => {
        // From within every field too. The dialog hangs on this section in React only, and has its own keys.
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !(event.target instanceof Node)) return;
        if (event.currentTarget.contains(event.target)) fork();
      }}
    >
      <header className="edit-head">
        <h2>
          Edit {stepNumber(meta)} <span className="muted">{shown(meta.description ?? showId(meta.id))}</span>
        </h2>
        <div className="button-pair" role="group" aria-label="Editor">
          <Button size="sm" icon={ListTree} aria-pressed={mode === 'tree'} onClick={() => show('tree')}>
            Tree
          </Button>
          <Button size="sm" icon={TextCursorInput} aria-pressed={mode === 'text'} onClick={() => show('text')}>
            Text
          </Button>
        </div>
        <span className="edit-head-end">
          {back}
          <Button
            variant="primary"
            icon={GitFork}
            kbd="Ctrl ↵"
            disabledReason={refused}
            onClick={fork}
            data-testid="edit-fork"
          >
            Preview fork…
          </Button>
        </span>
      </header>
      {proposal && (
        <p className="edit-note" data-testid="edit-proposal">
          <Icon of={GitPullRequestArrow} />
          <span>
            {proposal.edits
              ? `Begins with what ${shown(proposal.by.name)} proposed.`
              : `${shown(proposal.by.name)} proposed this checkpoint.`}{' '}
            Saving your version dismisses the proposal.
          </span>
          <Link className="link" to="/proposals/$id" params={{ id: proposal.id }}>
            Back to the proposal
          </Link>
        </p>
      )}
      <Notes meanwhile={meanwhile} edit={edit} forks={forks} onProblem={toProblem} />
      <div className="edit-body">
        <div className="edit-editor">
          {mode === 'text' ? (
            <TextMode edit={edit} goTo={goTo} />
          ) : edit.root === undefined ? (
            <p className="edit-broken">
              This isn't valid JSON, so it can't be shown as a tree.
              <Button onClick={() => show('text')}>Go to the text</Button>
            </p>
          ) : (
            <>
              <div className="edit-tools">
                <Button size="sm" variant="ghost" icon={Undo2} onClick={edit.undo}>
                  Undo
                </Button>
                <span className="small muted">Enter changes a value, Insert adds one, Delete removes one.</span>
              </div>
              <TreeEditor text={text} root={edit.root} onText={edit.setText} changed={changed} path={path} />
            </>
          )}
        </div>
        <EditSide meta={meta} edit={edit} author={author} onAuthor={setAuthor} />
      </div>
    </section>
  );
}

/** Why the edit can't be saved yet. */
function unready({ settled, review }: Editing): string | undefined {
  if (!settled) return 'Checking your edit…';
  if (review?.kind === 'broken') return "This isn't valid JSON yet.";
  return review?.kind === 'edited' ? undefined : 'No changes yet.';
}

interface TextModeProps {
  readonly edit: Editing;
  readonly goTo: { readonly offset: number } | undefined;
}

const TEXT_WIDTH = 100;

/** The text as it was when this mode was opened is shown laid out; from then on it is what is typed. */
function TextMode({ edit, goTo }: TextModeProps) {
  const { text, original = '' } = edit;
  const [opened] = useState(() => ({ text, laid: layoutJson(text, TEXT_WIDTH) }));
  const laidOriginal = useMemo(() => layoutJson(original, TEXT_WIDTH), [original]);
  const view = text === opened.text ? opened.laid : text === original ? laidOriginal : text;
  return (
    <>
      <div className="edit-tools">
        <Button
          size="sm"
          variant="ghost"
          onClick={() => edit.setText(layoutJson(text, TEXT_WIDTH))}
          disabledReason={edit.root ? undefined : 'Only valid JSON can be formatted.'}
        >
          Format
        </Button>
        <span className="small muted">What you do not change is saved exactly as stored. Ctrl F finds.</span>
      </div>
      <TextEditor text={view} onText={edit.setText} label="State as JSON text" goTo={goTo} />
    </>
  );
}

interface EditSideProps {
  readonly meta: CheckpointMeta;
  readonly edit: Editing;
  readonly author: string;
  readonly onAuthor: (author: string) => void;
}

function EditSide({ meta, edit, author, onAuthor }: EditSideProps) {
  const { review, reason } = edit;
  return (
    <aside className="edit-side" aria-label="What the edit changes">
      {review && <EditReview review={review} />}
      <label className="edit-field">
        <span className="label">Reason</span>
        <textarea rows={2} value={reason} onChange={(event) => edit.setReason(event.target.value)} maxLength={2000} />
      </label>
      <label className="edit-field">
        <span className="label">Author</span>
        <input value={author} onChange={(event) => onAuthor(event.target.value)} autoComplete="off" maxLength={200} />
      </label>
      <p className="small muted">
        Saved as a checkpoint of its own with {stepNumber(meta)} as its parent. {stepNumber(meta)} stays as it is.
      </p>
      <Button
        variant="ghost"
        icon={RotateCcw}
        onClick={edit.drop}
        disabledReason={review?.kind === 'same' ? 'No changes yet.' : undefined}
      >
        Discard the draft
      </Button>
      {!edit.unkept && <p className="small muted">This browser keeps the draft for a day, with any secrets in it.</p>}
    </aside>
  );
}

interface NotesProps {
  readonly meanwhile: Meanwhile;
  readonly edit: Editing;
  readonly forks: number;
  readonly onProblem: (offset: number) => void;
}

function Notes({ meanwhile: { blocked, onNewer }, edit, forks, onProblem }: NotesProps) {
  const { review } = edit;
  const shown = useShown();
  return (
    <div className="edit-notes" role="status">
      {blocked !== undefined && (
        <p className="edit-note" data-testid="edit-blocked">
          <Icon of={TriangleAlert} />
          {shown(blocked)} Your draft stays here.
        </p>
      )}
      {onNewer && (
        <p className="edit-note" data-testid="edit-newer">
          <Icon of={TriangleAlert} />
          This checkpoint was saved again after you started. You are editing the state before that.
          <Button size="sm" variant="ghost" onClick={onNewer}>
            Edit the new state
          </Button>
        </p>
      )}
      {review?.kind === 'broken' && (
        <p className="edit-note bad">
          <Icon of={CircleAlert} />
          <span>
            Line {review.problem.line}, column {review.problem.column}: {review.problem.message}
          </span>
          <Button size="sm" variant="ghost" onClick={() => onProblem(review.problem.offset)}>
            Go there
          </Button>
        </p>
      )}
      {forks > 0 && (
        <p className="edit-note" data-testid="edit-forked">
          <Icon of={TriangleAlert} />
          This checkpoint was forked after you started. Saving adds another fork and doesn't change the first.
        </p>
      )}
      {edit.fromDraft && (
        <p className="edit-note" data-testid="edit-draft">
          <Icon of={Undo2} />
          Showing your draft from an earlier visit.
          <Button size="sm" variant="ghost" onClick={edit.drop}>
            Start over
          </Button>
        </p>
      )}
      {!edit.stored && (
        <p className="edit-note">
          <Icon of={TriangleAlert} />
          The draft couldn't be saved in this browser. Reloading will discard it.
        </p>
      )}
      {edit.unkept && (
        <p className="edit-note muted">
          Parts of this store are encrypted, so drafts are only kept until you close the page.
        </p>
      )}
    </div>
  );
}

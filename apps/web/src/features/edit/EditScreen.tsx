import type { CheckpointMeta, CheckpointRef } from '@checkpoint-inspector/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { CircleAlert, GitFork, ListTree, RotateCcw, TextCursorInput, TriangleAlert, Undo2 } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { Button, Icon } from '../../components/index.ts';
import { refOf } from '../../lib/address.ts';
import { showId, stepNumber } from '../../lib/format.ts';
import { layoutJson } from '../../lib/json.ts';
import { useShown } from '../../lib/masking.ts';
import { useChangeDialog } from '../change/index.tsx';
import { EditReview } from './EditReview.tsx';
import { TextEditor } from './TextEditor.tsx';
import { TreeEditor } from './TreeEditor.tsx';
import { type Editing, useAuthor, useForkedMeanwhile } from './use-edit.ts';

const route = getRouteApi('/t/$store/$task/edit');

interface EditScreenProps {
  readonly meta: CheckpointMeta;
  readonly edit: Editing;
  readonly back: ReactNode;
}

/** Editor at the left, what the edit amounts to at the right. */
export function EditScreen({ meta, edit, back }: EditScreenProps) {
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
  const show = (next: 'tree' | 'text'): void =>
    void go({ search: (before) => ({ ...before, mode: next }), replace: true });
  const toProblem = (offset: number): void => {
    show('text');
    setGoTo({ offset });
  };
  const refused = !edit.settled
    ? 'The edit is being looked at.'
    : review?.kind === 'broken'
      ? 'The text is no JSON yet.'
      : review?.kind === 'edited'
        ? undefined
        : 'Nothing is changed yet.';
  const fork = (): void => {
    if (refused !== undefined || review?.kind !== 'edited') return;
    const saved = async (ref: CheckpointRef | undefined): Promise<void> => {
      edit.forget();
      await navigate({
        to: '/t/$store/$task',
        params: { store: meta.store, task: ref?.task ?? meta.taskId },
        search: { cp: ref?.id ?? meta.id, ns: ref?.namespace },
      });
    };
    dialogs.openEdit(
      meta.store,
      {
        kind: 'edit',
        ref: refOf(meta),
        text,
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
        <div className="edit-modes" role="group" aria-label="Editor">
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
      <Notes edit={edit} forks={forks} onProblem={toProblem} />
      <div className="edit-body">
        <div className="edit-editor">
          {mode === 'text' ? (
            <>
              <div className="edit-tools">
                <Button
                  size="sm"
                  variant="ghost"
                  onClick={() => edit.setText(layoutJson(text, 100))}
                  disabledReason={edit.root ? undefined : 'Only JSON can be laid out.'}
                >
                  Lay out on lines
                </Button>
                <span className="small muted">Changes white space only. Ctrl F finds.</span>
              </div>
              <TextEditor text={text} onText={edit.setText} label="State as JSON text" goTo={goTo} />
            </>
          ) : edit.root === undefined ? (
            <p className="edit-broken">
              The text is no JSON, so it has no tree.
              <Button onClick={() => show('text')}>Go to the text</Button>
            </p>
          ) : (
            <>
              <div className="edit-tools">
                <Button size="sm" variant="ghost" icon={Undo2} onClick={edit.takeBack}>
                  Take back
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

interface EditSideProps {
  readonly meta: CheckpointMeta;
  readonly edit: Editing;
  readonly author: string;
  readonly onAuthor: (author: string) => void;
}

/** What the edit amounts to, why it is made and by whom. */
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
        disabledReason={review?.kind === 'same' ? 'Nothing is changed yet.' : undefined}
      >
        Discard the draft
      </Button>
    </aside>
  );
}

interface NotesProps {
  readonly edit: Editing;
  readonly forks: number;
  readonly onProblem: (offset: number) => void;
}

function Notes({ edit, forks, onProblem }: NotesProps) {
  const { review } = edit;
  return (
    <div className="edit-notes" role="status">
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
          This checkpoint was forked since you began: saving makes one more fork of it, and nothing of the other is
          lost.
        </p>
      )}
      {edit.fromDraft && (
        <p className="edit-note" data-testid="edit-draft">
          <Icon of={Undo2} />
          Your draft of an earlier visit is shown.
          <Button size="sm" variant="ghost" onClick={edit.drop}>
            Begin anew
          </Button>
        </p>
      )}
      {!edit.stored && (
        <p className="edit-note">
          <Icon of={TriangleAlert} />
          This browser has no room for the draft: a reload would lose it.
        </p>
      )}
      {edit.unkept && (
        <p className="edit-note muted">
          Parts of this store are encrypted, so drafts are kept until the page is closed only.
        </p>
      )}
    </div>
  );
}

import { type CheckpointMeta, parseJson } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import type { Proposal } from '../../lib/api.ts';
import { stateQuery, treeQuery, useStore } from '../../lib/queries.ts';
import { keepStored, readStored } from '../../lib/signal.ts';
import { addressOf, refOf } from '../../lib/address.ts';
import { isLarge, mayUnlock } from '../../lib/readable.ts';
import { useRested } from '../../lib/hooks.ts';
import { drafts as kept, secretDrafts as secret, type DraftPlace } from './draft.ts';
import { proposedDraft } from './proposed.ts';
import { type Review, reviewEdit } from './review.ts';
import { forksOf } from '../../lib/forks.ts';
import { rewritten } from './rewrite.ts';

const REST_MS = 200;

/** Where the draft of an edit is kept, and the one of an earlier visit. */
function useDraft(meta: CheckpointMeta, hash: string | undefined) {
  const info = useStore(meta.store);
  const drafts = info && !mayUnlock(info) && !info.private ? kept : secret;
  const { store, taskId, namespace, id } = meta;
  const location = info?.location ?? store;
  const place = useMemo(
    (): DraftPlace | undefined => (hash === undefined ? undefined : { location, task: taskId, namespace, id, hash }),
    [hash, location, taskId, namespace, id],
  );
  const draft = useMemo(
    () => (place === undefined || info === undefined ? undefined : drafts.read(place)),
    [place, info, drafts],
  );
  return { info, drafts, place, draft };
}

/** The state of a checkpoint being edited, with its draft; without one it begins with what was proposed. */
export function useEdit(meta: CheckpointMeta, proposal?: Proposal) {
  const large = isLarge(meta);
  const state = useQuery({ ...stateQuery(addressOf(meta), meta.revision), enabled: !large });
  const original = state.data?.text;
  const { info, drafts, place, draft } = useDraft(meta, state.data?.hash);
  const [typed, setTyped] = useState<{ readonly text?: string; readonly reason?: string }>({});
  const undone = useRef<string[]>([]);
  const proposed = useMemo(
    () => (proposal === undefined || original === undefined ? undefined : proposedDraft(original, proposal)),
    [proposal, original],
  );
  const text = typed.text ?? draft?.text ?? proposed?.text ?? original ?? '';
  const reason = typed.reason ?? draft?.reason ?? proposed?.reason ?? '';
  const [stored, setStored] = useState(true);
  const rest = useRested(text, REST_MS);
  // A text that nobody has changed is reviewed at once.
  const rested = typed.text === undefined ? text : rest;
  const written = useMemo(() => (original === undefined ? rested : rewritten(original, rested)), [original, rested]);
  const review = useMemo(
    (): Review | undefined => (original === undefined ? undefined : reviewEdit(original, written)),
    [original, written],
  );
  const root = useMemo(() => {
    try {
      return parseJson(text);
    } catch {
      return undefined;
    }
  }, [text]);

  const keep = (next: { readonly text?: string; readonly reason?: string }): void => {
    const all = { text: next.text ?? text, reason: next.reason ?? reason };
    setTyped(all);
    if (place !== undefined) setStored(drafts.keep(place, all) || drafts === secret);
  };
  return {
    state,
    large,
    info,
    original,
    text,
    /** What a fork saves: the stored text with the changes of this one. */
    written,
    reason,
    root,
    review,
    /** What is reviewed is what is written. */
    settled: rested === text,
    fromDraft: typed.text === undefined && draft !== undefined && draft.text !== original,
    /** False where the browser had no room for the draft. */
    stored,
    /** Drafts of this store end with the page; false until its store is known, so that no note comes and goes. */
    unkept: info !== undefined && drafts === secret,
    setText(next: string): void {
      if (next === text) return;
      undone.current.push(text);
      keep({ text: next });
    },
    setReason: (next: string): void => keep({ reason: next }),
    /** One act of the tree back. */
    undo(): void {
      const before = undone.current.pop();
      if (before !== undefined) keep({ text: before });
    },
    drop(): void {
      if (place !== undefined) drafts.drop(place);
      undone.current = [];
      setTyped({ text: original ?? '', reason: '' });
    },
    forget: (): void => (place === undefined ? undefined : drafts.drop(place)),
  };
}

export type Editing = ReturnType<typeof useEdit>;

const KEY = 'checkpoint-inspector.author';

/** Who edits: kept in this browser, so that it is typed once. */
export function useAuthor(): readonly [string, (author: string) => void] {
  const [author, setAuthor] = useState(() => readStored(KEY) ?? '');
  const keep = (next: string): void => {
    setAuthor(next);
    keepStored(KEY, next);
  };
  return [author, keep];
}

/** How many children the checkpoint has got since the page was opened: another tab, another person, the agent. */
export function useForkedMeanwhile(meta: CheckpointMeta): number {
  const { data: rows } = useQuery(treeQuery(meta.store, meta.taskId));
  const first = useRef<number>(undefined);
  if (rows === undefined) return 0;
  const node = forksOf(meta.taskId, rows).nodeOf(refOf(meta));
  // Only a recorded or kept edge is a fork of it; one inferred from save order is the agent going on.
  const { nodes } = forksOf(meta.taskId, rows).tree;
  const now = node?.children.filter((child) => nodes[child]?.kind !== 'inferred').length ?? 0;
  first.current ??= now;
  return Math.max(0, now - first.current);
}

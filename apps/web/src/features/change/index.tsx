/** Every change of the page goes through here: one dialog at a time, one proof on the screen. */
import {
  type Capability,
  type CheckpointRef,
  type EditRequest,
  InspectorError,
  type Receipt,
  type StoreInfo,
} from '@checkpoint-inspector/core';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { createContext, type ReactNode, use, useCallback, useMemo, useRef, useState } from 'react';
import * as z from 'zod/mini';
import { onDemand } from '../../components/index.ts';
import { findQuery, receiptQuery, refresh, statusQuery, storesQuery, useStore } from '../../lib/queries.ts';
import { api } from '../../lib/api.ts';
import { useKeys } from '../../lib/keys.ts';
import { type TaskPlace, toAddress } from '../../lib/address.ts';
import { proofOfAll } from '../prune/words.ts';
import { markMade } from './made.ts';
import { namesFromCache } from './names.ts';
import { newerOf, proofOf, undoRefusal } from './proof.ts';
import { proofOfReceipt, showProof } from './ProofToast.tsx';
import { NAMED, type PlannedRequest } from './sentences.ts';
import { useConnection } from '../../lib/live.ts';
import './change.css';

const PruneDialog = onDemand(async () => (await import('../prune/PruneDialog.tsx')).PruneDialog);
const ChangeDialog = onDemand(async () => (await import('./ChangeDialog.tsx')).ChangeDialog);

const Context = createContext<ChangeDialogs | undefined>(undefined);

/** @throws InspectorError internal, when used outside the provider. */
export function useChangeDialog(): ChangeDialogs {
  const dialogs = use(Context);
  if (dialogs === undefined)
    throw new InspectorError('internal', 'useChangeDialog needs a ChangeDialogsProvider above it.');
  return dialogs;
}

interface Opened {
  readonly store: string;
  readonly request: PlannedRequest;
  readonly onChanged: OnChanged | undefined;
  readonly changes?: ReactNode;
}

interface OpenedPrune {
  readonly targets: readonly TaskPlace[];
  readonly onChanged: OnChanged | undefined;
}

const NO_INFO: Pick<StoreInfo, 'label' | 'latestRule'> = { label: 'the store', latestRule: 'not known yet' };

export function ChangeDialogsProvider({ children }: { readonly children: ReactNode }) {
  const [opened, setOpened] = useState<Opened>();
  const { data: stores } = useQuery(storesQuery());
  const [pruning, setPruning] = useState<OpenedPrune>();
  const { prove, proveAll, undo, undoLast, redoLast } = useProofs(stores);

  const dialogs = useMemo(
    (): ChangeDialogs => ({
      openRestore: (store, ref, onChanged) => setOpened({ store, request: { kind: 'restore', ref }, onChanged }),
      openFork: (store, ref, onChanged) => setOpened({ store, request: { kind: 'fork', ref }, onChanged }),
      openEdit: (store, request, changes, onChanged) => setOpened({ store, request, changes, onChanged }),
      openDelete: (store, refs, onChanged) => setOpened({ store, request: { kind: 'delete', refs }, onChanged }),
      openPrune: (targets, onChanged) => setPruning({ targets, onChanged }),
      undo,
    }),
    [undo],
  );
  const close = useCallback(() => setOpened(undefined), []);
  const done = useCallback(
    (receipt: Receipt) => {
      setOpened(undefined);
      void prove(receipt).then((isNewest) => isNewest && opened?.onChanged?.(receipt));
    },
    [prove, opened],
  );
  const pruned = useCallback(
    (receipts: readonly Receipt[]) => {
      setPruning(undefined);
      void proveAll(receipts).then(() => receipts.forEach((receipt) => pruning?.onChanged?.(receipt)));
    },
    [proveAll, pruning],
  );
  useKeys({ z: () => void undoLast(), Z: () => void redoLast() });

  return (
    <Context value={dialogs}>
      {children}
      {opened && (
        <ChangeDialog
          key={JSON.stringify(opened.request)}
          calls={api}
          store={opened.store}
          info={stores?.find((info) => info.id === opened.store) ?? NO_INFO}
          request={opened.request}
          changes={opened.changes}
          onClose={close}
          onDone={done}
        />
      )}
      {pruning && (
        <PruneDialog
          key={JSON.stringify(pruning.targets)}
          calls={api}
          targets={pruning.targets}
          stores={stores ?? []}
          onClose={() => setPruning(undefined)}
          onDone={pruned}
        />
      )}
    </Context>
  );
}

/** Proof on the screen after each change, and the way back from the newest one. */
function useProofs(stores: readonly StoreInfo[] | undefined) {
  const client = useQueryClient();
  const last = useRef<Receipt>(undefined);
  const running = useRef(false);
  const leave = useLeaveGone();
  const labels = useRef(stores);
  labels.current = stores;

  const prove = useCallback(
    async (receipt: Receipt) => {
      last.current = receipt;
      const [written] = receipt.written;
      if (written && receipt.request.kind !== 'undo') markMade(toAddress(receipt.store, written));
      if (receipt.latestNow.ref) await nameRef(client, receipt.store, receipt.latestNow.ref);
      const label = labels.current?.find((info) => info.id === receipt.store)?.label ?? receipt.store;
      proofOfReceipt(
        proofOf(receipt, namesFromCache(client, receipt.store), label),
        receipt,
        () => void undoRef.current(receipt.id),
      );
      // The stream of events does the same; this is for a page whose stream is away.
      await refresh(client);
      // Somebody may have been quick to undo it: then nothing leads there any more.
      return last.current === receipt && !running.current;
    },
    [client],
  );

  /** Several changes at once: one summary, and Activity for the undo of each. */
  const proveAll = useCallback(
    async (receipts: readonly Receipt[]) => {
      const [only] = receipts;
      if (receipts.length === 1 && only) return void (await prove(only));
      last.current = undefined;
      showProof({ text: proofOfAll(receipts) });
      await refresh(client);
    },
    [client, prove],
  );

  const undo = useCallback(
    async (receiptId: string) => {
      if (running.current) return;
      running.current = true;
      // Before it is gone: nothing is asked of it then any more.
      const own = last.current?.id === receiptId ? last.current : undefined;
      const comeBack = own && leave(own);
      // Only the change itself: a key that is pressed while its proof is shown must not be lost.
      const undone = await api.undo(receiptId).catch(InspectorError.from);
      running.current = false;
      if (!InspectorError.is(undone)) return void (await prove(undone));
      comeBack?.();
      await refuse(client, receiptId, undone);
    },
    [client, prove, leave],
  );
  const undoRef = useRef(undo);
  undoRef.current = undo;

  const undoLast = useCallback(async () => {
    const receipt = last.current;
    const isUndo = receipt?.request.kind === 'undo' && !(await isRedo(receipt));
    if (receipt === undefined || receipt.undoable !== true || isUndo) {
      const reason = receipt !== undefined && typeof receipt.undoable === 'string' ? receipt.undoable : undefined;
      showProof({
        text: {
          tone: 'warn',
          title: reason ?? 'Nothing to undo on this page yet.',
          evidence: 'Activity lists every change, with undo.',
        },
      });
      return;
    }
    await undo(receipt.id);
  }, [undo]);

  /** Only where an undo was the last thing that happened: Activity knows that of all pages. */
  const redoLast = useCallback(async () => {
    const newest = (await api.activity().catch(() => undefined))?.items[0];
    const isOpen = newest?.undoable === true && newest.undoneBy === undefined;
    if (isOpen && newest.request.kind === 'undo' && !(await isRedo(newest))) return undo(newest.id);
    showProof({
      text: {
        tone: 'warn',
        title: 'Nothing to redo: the last change was no undo.',
        evidence: 'Activity lists every change, with undo.',
      },
    });
  }, [undo]);

  return { prove, proveAll, undo, undoLast, redoLast };
}

/** Leads from a checkpoint that an undo is about to remove to the one it was made from; the answer leads back. */
function useLeaveGone() {
  const router = useRouter();
  const navigate = useNavigate();
  return useCallback(
    ({ written, request }: Receipt): (() => void) | undefined => {
      const { cp } = z.parse(selected, router.state.location.search);
      const gone = written.find(({ id }) => id === cp);
      if (gone === undefined) return undefined;
      const select = (ref: CheckpointRef | undefined): void => {
        const to = { cp: ref?.id, ns: ref?.namespace };
        void navigate({ to: '.', search: (before) => ({ ...before, ...to }), replace: true });
      };
      select('ref' in request ? request.ref : undefined);
      return () => select(gone);
    },
    [router, navigate],
  );
}

const selected = z.object({ cp: z.optional(z.string()) });

/** True for the undo of an undo: what was done stands again. */
async function isRedo({ request }: Pick<Receipt, 'request'>): Promise<boolean> {
  if (request.kind !== 'undo') return false;
  return (await api.receipt(request.receiptId).catch(() => undefined))?.request.kind === 'undo';
}

/** Says why nothing was taken back, with the numbers of the checkpoints that stand in the way. */
async function refuse(client: QueryClient, receiptId: string, error: InspectorError): Promise<void> {
  const receipt = await client.fetchQuery({ ...receiptQuery(receiptId), retry: false }).catch(() => undefined);
  const store = receipt?.store ?? '';
  const newer = newerOf(error)
    .filter((item) => typeof item !== 'string')
    .slice(0, NAMED);
  await Promise.all(newer.map((ref) => nameRef(client, store, ref)));
  showProof({ text: undoRefusal(error, namesFromCache(client, store)) });
}

/** So that a message can say `#11` instead of an id. A failure only costs the number. */
async function nameRef(client: QueryClient, store: string, ref: CheckpointRef): Promise<void> {
  await client.fetchQuery({ ...findQuery(store, ref.id), retry: false }).catch(() => undefined);
}

/** Called after a change was applied and the page has read the store again. */
type OnChanged = (receipt: Receipt) => void;

/** What `useChangeDialog()` gives to every screen that changes something. */
interface ChangeDialogs {
  openRestore(store: string, ref: CheckpointRef, onChanged?: OnChanged): void;
  openFork(store: string, ref: CheckpointRef, onChanged?: OnChanged): void;
  openDelete(store: string, refs: readonly CheckpointRef[], onChanged?: OnChanged): void;
  /** A policy over one or several tasks, with its preview. */
  openPrune(targets: readonly TaskPlace[], onChanged?: OnChanged): void;
  /** `changes` shows what the edit changes: only the page that made it knows the text. */
  openEdit(store: string, request: EditRequest, changes: ReactNode, onChanged?: OnChanged): void;
  /** One click, no dialog: the result is shown as a toast. */
  undo(receiptId: string): Promise<void>;
}

// Why a change cannot be made here, from what the store and the server say.

type Act = keyof StoreInfo['capabilities'];

/** The reason, or `undefined` where the change is possible. */
export function changeBlock(
  act: Act,
  info: Pick<StoreInfo, 'capabilities'> | undefined,
  server: { readonly readOnly: boolean; readonly stale: boolean },
): string | undefined {
  if (server.stale) return 'The server does not answer.';
  if (server.readOnly) return 'Started with --read-only.';
  const capability: Capability | undefined = info?.capabilities[act];
  return typeof capability === 'string' ? capability : undefined;
}

export function useServerBlock(): string | undefined {
  const { data: status } = useQuery(statusQuery());
  const stale = useConnection().state === 'stale';
  return changeBlock('delete', undefined, { readOnly: status?.readOnly ?? false, stale });
}

export function useChangeBlock(store: string): (act: Act) => string | undefined {
  const info = useStore(store);
  const { data: status } = useQuery(statusQuery());
  const stale = useConnection().state === 'stale';
  return (act) => changeBlock(act, info, { readOnly: status?.readOnly ?? false, stale });
}

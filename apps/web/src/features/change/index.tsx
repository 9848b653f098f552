/** Every change of the page goes through here: one dialog at a time, one proof on the screen. */
import {
  type Capability,
  type CheckpointRef,
  type EditRequest,
  InspectorError,
  type Receipt,
  type StoreInfo,
} from '@checkpoint-inspector/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { onDemand, showToast } from '../../components/index.ts';
import { statusQuery, storesQuery, useStore, whenQuiet } from '../../lib/queries.ts';
import { api } from '../../lib/api.ts';
import { useKeys } from '../../lib/keys.ts';
import type { TaskPlace } from '../../lib/address.ts';
import { aText, fields } from '../../lib/read.ts';
import type { Proofs } from './proofs.ts';
import type { PlannedRequest } from './sentences.ts';
import type { ChangeCalls } from './use-change.ts';
import { useConnection } from '../../lib/live.ts';
import { changing } from '../../lib/refresh.ts';

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

const NO_INFO: Pick<StoreInfo, 'label' | 'latestRule' | 'forkHistory'> = {
  label: 'the store',
  latestRule: 'unknown so far',
};

export function ChangeDialogsProvider({ children }: { readonly children: ReactNode }) {
  const [opened, setOpened] = useState<Opened>();
  const { data: stores } = useQuery(storesQuery());
  const [pruning, setPruning] = useState<OpenedPrune>();
  const { prove, proveAll, undo, undoLast, redoLast } = useProofs(stores);

  const client = useQueryClient();
  const calls = useMemo(
    (): ChangeCalls => ({ plan: api.plan, apply: (planId) => changing(client, () => api.apply(planId)) }),
    [client],
  );

  const dialogs = useMemo(
    (): ChangeDialogs => ({
      openRestore: (store, ref, onChanged) => setOpened({ store, request: { kind: 'restore', ref }, onChanged }),
      openFork: (store, ref, onChanged) => setOpened({ store, request: { kind: 'fork', ref }, onChanged }),
      openEdit: (store, request, changes, onChanged) => setOpened({ store, request, changes, onChanged }),
      openDelete: (store, refs, onChanged) => setOpened({ store, request: { kind: 'delete', refs }, onChanged }),
      openPrune: (targets, onChanged) => setPruning({ targets, onChanged }),
      applyProposal: async (id, planId) => {
        const receipt = await changing(client, () => api.applyProposal(id, planId));
        void prove(receipt);
        return receipt;
      },
      undo,
    }),
    [undo, client, prove],
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
          calls={calls}
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
          calls={calls}
          targets={pruning.targets}
          stores={stores ?? []}
          onClose={() => setPruning(undefined)}
          onDone={pruned}
        />
      )}
    </Context>
  );
}

/** Proof on the screen after each change, and the way back from the newest one. Its code is fetched when first asked for. */
function useProofs(stores: readonly StoreInfo[] | undefined): Proofs {
  const client = useQueryClient();
  const leave = useLeaveGone();
  const now = useRef({ stores, leave });
  now.current = { stores, leave };
  const made = useRef<Proofs>(undefined);
  const get = useCallback(async (): Promise<Proofs> => {
    const { createProofs } = await import('./proofs.ts');
    return (made.current ??= createProofs({
      client,
      leave: (receipt) => now.current.leave(receipt),
      labelOf: (store) => now.current.stores?.find((info) => info.id === store)?.label ?? store,
    }));
  }, [client]);
  useEffect(() => whenQuiet(client, [() => get().catch(() => undefined)]), [client, get]);
  return useMemo(() => {
    const away = (): void =>
      showToast({ title: 'This part of the page could not be loaded.', detail: 'The server does not answer.' });
    return {
      prove: async (receipt) => (await get()).prove(receipt),
      proveAll: async (receipts) => (await get()).proveAll(receipts),
      undo: (id) => get().then((proofs) => proofs.undo(id), away),
      undoLast: () => get().then((proofs) => proofs.undoLast(), away),
      redoLast: () => get().then((proofs) => proofs.redoLast(), away),
    };
  }, [get]);
}

/** Leads from a checkpoint that an undo is about to remove to the one it was made from; the answer leads back. */
function useLeaveGone() {
  const router = useRouter();
  const navigate = useNavigate();
  return useCallback(
    ({ written, request }: Receipt): (() => void) | undefined => {
      const { cp } = selected(router.state.location.search);
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

const selected = fields({ cp: aText });

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
  /** Applies a plan that the page shows already, and proves it. @throws InspectorError */
  applyProposal(id: string, planId: string): Promise<Receipt>;
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

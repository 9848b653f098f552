/** Every change of the page goes through here: one dialog at a time, one proof on the screen. */
import { InspectorError, type CheckpointRef, type Receipt, type StoreInfo } from '@checkpoint-inspector/core';
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { createContext, lazy, Suspense, use, useCallback, useMemo, useRef, useState, type ReactNode } from 'react';
import { api } from '../../lib/api.ts';
import { useKeys } from '../../lib/keys.ts';
import { findQuery, receiptQuery, storesQuery } from '../../lib/queries.ts';
import { refresh } from '../../lib/refresh.ts';
import { namesFromCache } from './names.ts';
import { proofOf } from './proof.ts';
import { proofOfReceipt, showProof } from './ProofToast.tsx';
import { NAMED, type PlannedRequest } from './sentences.ts';
import type { ChangeDialogs, OnChanged } from './types.ts';
import { newerOf, undoRefusal } from './undo.ts';
import './changes-dialogs.css';

export type { ChangeDialogs, OnChanged } from './types.ts';
export { useChangeBlock } from './capability.ts';

const ChangeDialog = lazy(async () => ({ default: (await import('./ChangeDialog.tsx')).ChangeDialog }));

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
}

const NO_INFO: Pick<StoreInfo, 'label' | 'latestRule'> = { label: 'the store', latestRule: 'not known yet' };

export function ChangeDialogsProvider({ children }: { readonly children: ReactNode }) {
  const [opened, setOpened] = useState<Opened>();
  const { data: stores } = useQuery(storesQuery());
  const { prove, undo, undoLast } = useProofs(stores);

  const dialogs = useMemo(
    (): ChangeDialogs => ({
      openRestore: (store, ref, onChanged) => setOpened({ store, request: { kind: 'restore', ref }, onChanged }),
      openFork: (store, ref, onChanged) => setOpened({ store, request: { kind: 'fork', ref }, onChanged }),
      openDelete: (store, refs, onChanged) => setOpened({ store, request: { kind: 'delete', refs }, onChanged }),
      undo,
    }),
    [undo],
  );
  const close = useCallback(() => setOpened(undefined), []);
  const done = useCallback(
    (receipt: Receipt) => {
      setOpened(undefined);
      void prove(receipt).then(() => opened?.onChanged?.(receipt));
    },
    [prove, opened],
  );
  useKeys({ z: undoLast });

  return (
    <Context value={dialogs}>
      {children}
      {opened && (
        <Suspense>
          <ChangeDialog
            key={JSON.stringify(opened.request)}
            calls={api}
            store={opened.store}
            info={stores?.find((info) => info.id === opened.store) ?? NO_INFO}
            request={opened.request}
            onClose={close}
            onDone={done}
          />
        </Suspense>
      )}
    </Context>
  );
}

/** Proof on the screen after each change, and the way back from the newest one. */
function useProofs(stores: readonly StoreInfo[] | undefined) {
  const client = useQueryClient();
  const last = useRef<Receipt>(undefined);
  const running = useRef(false);
  const labels = useRef(stores);
  labels.current = stores;

  const prove = useCallback(
    async (receipt: Receipt) => {
      last.current = receipt;
      if (receipt.latestNow.ref) await nameRef(client, receipt.store, receipt.latestNow.ref);
      const label = labels.current?.find((info) => info.id === receipt.store)?.label ?? receipt.store;
      proofOfReceipt(
        proofOf(receipt, namesFromCache(client, receipt.store), label),
        receipt,
        () => void undoRef.current(receipt.id),
      );
      // The stream of events does the same; this is for a page whose stream is away.
      await refresh(client);
    },
    [client],
  );

  const undo = useCallback(
    async (receiptId: string) => {
      if (running.current) return;
      running.current = true;
      try {
        await prove(await api.undo(receiptId));
      } catch (error) {
        await refuse(client, receiptId, InspectorError.from(error));
      } finally {
        running.current = false;
      }
    },
    [client, prove],
  );
  const undoRef = useRef(undo);
  undoRef.current = undo;

  const undoLast = useCallback(() => {
    const receipt = last.current;
    if (receipt === undefined || receipt.undoable !== true || receipt.request.kind === 'undo') {
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
    void undo(receipt.id);
  }, [undo]);

  return { prove, undo, undoLast };
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

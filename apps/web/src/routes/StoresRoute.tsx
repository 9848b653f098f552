import { type Capability, InspectorError, type StoreInfo } from '@checkpoint-inspector/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Check, FolderOpen, Minus, X } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import {
  Badge,
  Button,
  EmptyState,
  ErrorState,
  Icon,
  IconButton,
  LoadingBar,
  Pairs,
  QueryError,
  showToast,
  Skeleton,
  TextField,
} from '../components/index.ts';
import { drafts, secretDrafts } from '../features/edit/draft.ts';
import { StoreIcon } from '../features/tasks/FacetPane.tsx';
import { openBundle } from '../features/stores/open-bundle.ts';
import { UnlockButton } from '../features/unlock/ask.tsx';
import { api } from '../lib/api.ts';
import { formatCount, plural } from '../lib/format.ts';
import { useTitle } from '../lib/hooks.ts';
import { mayUnlock } from '../lib/readable.ts';
import { storesQuery } from '../lib/queries.ts';
import { refresh } from '../lib/refresh.ts';
import './stores.css';

/** The open stores: where, of which system, what they can do and why not. */
export function StoresRoute() {
  const stores = useQuery(storesQuery());
  useTitle('Stores');
  return (
    <div
      className="page stores-page"
      data-testid="stores-page"
      data-state={stores.isPending ? 'loading' : stores.isError ? 'error' : 'ready'}
    >
      <LoadingBar active={stores.isFetching && !stores.isPending} />
      <header>
        <h1 className="page-title">Stores</h1>
        <p className="muted">Opening a store only reads it. Nothing is written until you confirm a change.</p>
      </header>
      <OpenStore />
      {stores.isPending && <Skeleton rows={4} />}
      <QueryError query={stores} />
      {stores.data?.length === 0 && <EmptyState>No store is open. Type the path or address of one above.</EmptyState>}
      <ul className="stores">
        {stores.data?.map((info) => (
          <StoreRow key={info.id} info={info} />
        ))}
      </ul>
    </div>
  );
}

function OpenStore() {
  const client = useQueryClient();
  const [target, setTarget] = useState('');
  const open = useMutation({
    mutationFn: (path: string) => api.openStore(path),
    onSuccess: async (answer) => {
      setTarget('');
      showToast({
        title: `${plural(answer.items.length, 'store')} opened: ${answer.items.map((info) => info.label).join(', ')}.`,
      });
      await refresh(client);
    },
    // Said once is enough: a password stays nowhere on the page.
    onError: (_error, path) => setTarget(withoutPassword(path)),
  });
  const home = useMutation({
    mutationFn: () => api.openHome(),
    onSuccess: async ({ items }) => {
      const found = items.map((info) => info.label).join(', ');
      const none = 'Nothing that a coding agent keeps was found in your home folder.';
      showToast({ title: items.length === 0 ? none : `Open from your home folder: ${found}.` });
      await refresh(client);
    },
  });
  const navigate = useNavigate();
  const file = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (target.trim() !== '') open.mutate(target.trim());
  };
  return (
    <>
      <form className="open-store" onSubmit={submit}>
        <TextField
          icon={FolderOpen}
          className="grow"
          label="Path of a SQLite file or a folder, or postgres://user:password@host/database"
          value={target}
          onChange={setTarget}
          testId="open-store"
        />
        <Button type="submit" variant="primary" disabledReason={open.isPending ? 'Opening…' : undefined}>
          Open store
        </Button>
        <Button
          title="A file that export has written; it may also be dropped on the page"
          onClick={() => file.current?.click()}
        >
          Open bundle…
        </Button>
        <Button
          title="Opens the sessions that coding agents keep in their known places there. Nothing else is looked at."
          disabledReason={home.isPending ? 'Looking…' : undefined}
          onClick={() => home.mutate()}
          data-testid="open-home"
        >
          Look in your home folder
        </Button>
        <input
          ref={file}
          type="file"
          accept=".json,application/json"
          hidden
          data-testid="open-bundle"
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            currentTarget.value = '';
            if (chosen !== undefined) void openBundle(chosen, client, navigate);
          }}
        />
      </form>
      {open.isError && <ErrorState title="This could not be opened." error={InspectorError.from(open.error)} />}
      {home.isError && <ErrorState error={InspectorError.from(home.error)} />}
    </>
  );
}

const withoutPassword = (address: string): string =>
  address.replace(/^(\w+:\/\/[^/@:]*):[^@]*@/, '$1@').replace(/([?&]password)=[^&]*/, '$1=');

const ACTS = ['restore', 'fork', 'edit', 'delete'] as const;

function StoreRow({ info }: { readonly info: StoreInfo }) {
  const client = useQueryClient();
  const close = useMutation({
    mutationFn: () => api.closeStore(info.id),
    onSuccess: () => {
      drafts.dropStore(info.location ?? info.id);
      secretDrafts.dropStore(info.location ?? info.id);
      return refresh(client);
    },
  });
  const { indexed, capabilities } = info;
  return (
    <li className="store" data-testid="store">
      <div className="store-head">
        <StoreIcon location={info.location ?? info.label} />
        <Link to="/tasks" search={{ store: [info.id] }} className="store-name cut">
          {info.label}
        </Link>
        <Badge tone="quiet">{info.system}</Badge>
        {info.private && (
          <Badge tone="quiet" title="Masked at first, and nothing of it is kept on disk unless you agree">
            private work
          </Badge>
        )}
        {info.snapshot !== undefined && <Badge tone="warn">private copy</Badge>}
        <span className="end" />
        <IconButton label={`Close ${info.label}; nothing is deleted`} icon={X} onClick={() => close.mutate()} />
      </div>
      <p className="small second store-line">{oneLine(info)}</p>
      <details className="store-rules">
        <summary>Rules of this store</summary>
        <Pairs
          className="store-facts"
          facts={[
            ['Where', info.location, 'data'],
            ['Latest by', info.latestRule],
            ['Indexed', indexed.n < indexed.of ? `${formatCount(indexed.n)} of ${formatCount(indexed.of)}` : undefined],
            ['Read from', info.snapshot],
            ['Ignored in diffs', info.volatilePaths.join(', '), 'data'],
          ]}
        />
        <ul className="capabilities">
          {ACTS.map((name) => (
            <CapabilityRow key={name} name={name} value={capabilities[name]} />
          ))}
        </ul>
        {info.notes?.map((note) => (
          <p key={note} className="small second">
            {note}
          </p>
        ))}
      </details>
      {mayUnlock(info) && (
        <div className="store-unlock">
          <UnlockButton store={info.id} />
        </div>
      )}
      {close.isError && <ErrorState error={InspectorError.from(close.error)} />}
    </li>
  );
}

/** Where it is, and what can be done with it. */
function oneLine({ location, capabilities }: StoreInfo): string {
  const can = ACTS.filter((name) => capabilities[name] === true);
  const words = can.length === 0 ? 'read-only' : can.join(', ');
  return location === undefined ? words : `${location} · ${words}`;
}

function CapabilityRow({ name, value }: { readonly name: string; readonly value: Capability }) {
  return (
    <li>
      <Icon of={value === true ? Check : Minus} size={12} />
      <span>{name}</span>
      {value !== true && <span className="muted">{value}</span>}
    </li>
  );
}

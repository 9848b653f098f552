import {
  type Address,
  type CheckpointMeta,
  formatAddress,
  idToSegment,
  stateBytesOf,
} from '@checkpoint-inspector/core';
import { useQueryClient } from '@tanstack/react-query';
import { Braces, Copy, FileText, Hash, Link2, Plug, Terminal } from 'lucide-react';
import { type MenuItem, showToast } from '../../components/index.ts';
import { addressOf, toAddress } from '../../lib/address.ts';
import { api } from '../../lib/api.ts';
import { isLarge, stateSizeWords } from '../../lib/readable.ts';
import { copyText } from '../../components/copy.ts';
import { useRevealed, useShown } from '../../lib/masking.ts';
import { checkpointQuery, diffQuery } from '../../lib/queries.ts';
import { isFile } from '../../lib/viewer/page.ts';
import type { Workbench } from '../workbench/use-workbench.ts';
import { checkpointMarkdown, cliCall, curlCall, diffMarkdown, mcpCall, type ViewPlace } from './markdown.ts';

/** A view may contain a state of this size as text; a larger one is named only. */
const MARKDOWN_BYTES = 1_000_000;

/** Everything that can be copied of the selected checkpoint: for the menu, and for the keys after y. */
export function useCopies(bench: Workbench) {
  const { meta, path, diff, view } = bench;
  const markdown = useMarkdown(bench);
  // While the next diff loads, the one before it is still drawn.
  const drawn = diff.isPlaceholderData ? undefined : diff.data;
  const item = path === undefined ? undefined : drawn?.items.find((one) => one.path === path);
  const nothing = (): void => showToast({ title: 'Choose a value first.' });
  const focused = (): void => {
    if (!meta || path === undefined) return nothing();
    const known = view === 'changes' ? (item?.after ?? item?.before) : undefined;
    if (known !== undefined) return void copyText(known, 'The value');
    void api
      .value(addressOf(meta), { path })
      .then(async (blob) => copyText(await blob.text(), 'The value'))
      .catch(sayError);
  };
  const keys = {
    'y p': () => (path === undefined ? nothing() : void copyText(path, 'The path')),
    'y v': focused,
    'y l': () => meta && !isFile() && void copyText(viewLink(location.href, meta), 'The link to this view'),
    'y m': () => void markdown(),
  };
  const place = meta && placeOf(bench, meta);
  const groups: MenuItem[][] = meta && place ? [ofCheckpoint(meta, keys), ofView(place, keys)] : [];
  return { keys, groups };
}

const sayError = (error: Error): void => showToast({ title: error.message });

type CopyKeys = Readonly<Record<'y p' | 'y v' | 'y l' | 'y m', () => void>>;

function ofCheckpoint(meta: CheckpointMeta, keys: CopyKeys): MenuItem[] {
  const address = addressOf(meta);
  const link = `${location.origin}/c/${meta.store}/${idToSegment(meta.id)}`;
  return [
    { label: 'Copy id', icon: Hash, onSelect: () => void copyText(meta.id, 'The id') },
    ...(isFile() ? [] : [{ label: 'Copy link', icon: Link2, onSelect: () => void copyText(link, 'The link') }]),
    {
      label: 'Copy address',
      detail: formatAddress(address),
      icon: Copy,
      onSelect: () => void copyText(formatAddress(address), 'The address'),
    },
    {
      label: 'Copy state',
      icon: Braces,
      disabledReason: isLarge(meta) ? `${stateSizeWords(meta)}: download it in the State tab instead.` : undefined,
      onSelect: () => void api.state(address).then((state) => copyText(state.text, 'The state'), sayError),
    },
    { label: 'Copy focused path', icon: Copy, kbd: 'y p', onSelect: keys['y p'] },
    { label: 'Copy focused value', icon: Copy, kbd: 'y v', onSelect: keys['y v'] },
  ];
}

function ofView(place: ViewPlace, keys: CopyKeys): MenuItem[] {
  const asMarkdown = { label: 'Copy as Markdown', icon: FileText, kbd: 'y m', onSelect: keys['y m'] };
  // Links and calls need a server behind them.
  if (isFile()) return [asMarkdown];
  return [
    { label: 'Copy view link', icon: Link2, kbd: 'y l', onSelect: keys['y l'] },
    asMarkdown,
    { label: 'Copy as CLI call', icon: Terminal, onSelect: () => void copyText(cliCall(place), 'The command') },
    {
      label: 'Copy as curl call',
      icon: Terminal,
      onSelect: () => void copyText(curlCall(place), 'The call, with $TOKEN for the token,'),
    },
    { label: 'Copy as MCP call', icon: Plug, onSelect: () => void copyText(mcpCall(place), 'The call') },
  ];
}

function placeOf({ store, view, base, info, rules }: Workbench, meta: CheckpointMeta): ViewPlace {
  return {
    view,
    at: addressOf(meta),
    base: base && toAddress(store, base),
    location: info?.location,
    origin: location.origin,
    rules,
  };
}

/** The diff on the screen, else the checkpoint with its state. What is masked stays masked: it is made to be passed on. */
function useMarkdown(bench: Workbench): () => Promise<void> {
  const shown = useShown();
  const revealed = useRevealed();
  const queries = useQueryClient();
  return async () => {
    const { meta, base, info, store, view, rules, awaitsBase } = bench;
    if (!meta) return;
    const changes = view === 'changes';
    if (changes && awaitsBase) return showToast({ title: 'The changes are still loading.' });
    const source = { meta, storeLabel: info?.label ?? store, link: viewLink(location.href, meta), shown };
    const diff = async (from: Address): Promise<string> => {
      const [found, baseMeta] = await Promise.all([
        queries.ensureQueryData(diffQuery(from, addressOf(meta), rules)),
        queries.ensureQueryData(checkpointQuery(from)),
      ]);
      return diffMarkdown({ ...source, ...found, base: baseMeta });
    };
    try {
      const text =
        changes && base
          ? await diff(toAddress(store, base))
          : checkpointMarkdown({ ...source, text: await stateText(meta) });
      await copyText(text, revealed ? 'The view as Markdown' : 'The view as Markdown, secrets masked,');
    } catch (error) {
      sayError(error instanceof Error ? error : new Error(String(error)));
    }
  };
}

async function stateText(meta: CheckpointMeta): Promise<string | undefined> {
  if (meta.problem !== undefined || stateBytesOf(meta) > MARKDOWN_BYTES) return undefined;
  return (await api.state(addressOf(meta))).text;
}

/** The view as it is; a checkpoint that is shown only because it is the latest is named. */
export function viewLink(href: string, { id }: Pick<CheckpointMeta, 'id'>): string {
  const url = new URL(href);
  if (!url.searchParams.has('cp')) url.searchParams.set('cp', id);
  return url.href;
}

/** What agents may do over MCP, and what they did. */
import { compact, InspectorError, type CheckpointMeta, type NewCheckpoint } from '@checkpoint-inspector/core';
import {
  type AgentActivity,
  type AgentGrant,
  type AgentRecords,
  type ChangeService,
  type TaskPlace,
} from '@checkpoint-inspector/changes';
import type { Proposal, Proposals, Proposer } from '../proposals/service.ts';
import type { StoreService } from '../stores/types.ts';
import { placeIn, saveThroughGate, type Savable } from './gate.ts';
import { covers, parseGrant, type ActTarget, type AgentAct, type GrantTerms } from './grants.ts';

/** One client of MCP, for as long as it is connected. */
export interface AgentSession {
  /** As things are now: grants end while it is connected. */
  may(act: 'read' | 'propose', target: ActTarget): boolean;
  /** True where a grant says what it may read or propose: then that is all. */
  readonly isNarrowed: boolean;
  /** @throws InspectorError read_only | unsupported (no journal) | as the store's `save` and as `propose` */
  save(source: Savable, checkpoint: NewCheckpoint, signal?: AbortSignal): Promise<AgentSave>;
  /** Notes what it did, where anything may be written; without a target: something about all stores. */
  did(act: AgentAct, target?: ActTarget): void;
}

/** What became of a save: a proposal is a person's to decide, and nothing is written until then. */
export type AgentSave =
  | { readonly meta: CheckpointMeta; readonly receipts: readonly string[] }
  | { readonly proposal: Proposal; readonly reason: string };

/** A grant as it is now. */
export interface ShownGrant extends AgentGrant {
  readonly state: 'active' | 'expired' | 'ended';
}

/** What one client did, newest first, and what it was granted. */
export interface Agent {
  readonly client: string;
  readonly activity: readonly Omit<AgentActivity, 'client'>[];
  readonly grants: readonly ShownGrant[];
}

export interface Agents {
  /** @throws InspectorError invalid_input for a grant that can't be read */
  session(options: { readonly client: () => Proposer | undefined; readonly grants?: readonly string[] }): AgentSession;
  /** Those that did something last come first. */
  list(): readonly Agent[];
  /** From now on it gives nothing. @throws InspectorError not_found | read_only | unsupported */
  endGrant(id: string): ShownGrant;
}

interface AgentDeps {
  readonly stores: StoreService;
  readonly changes: ChangeService;
  readonly proposals: Proposals;
  /** Absent where no journal is kept: then nobody knows whose a task is, and nothing is saved. */
  readonly records: AgentRecords | undefined;
  readonly readOnly: boolean;
}

const UNNAMED = 'an unnamed client';

export const clientName = (client: Proposer | undefined): string => client?.name ?? UNNAMED;

/** @example const agents = createAgents({ stores, changes, proposals, records: journal.agents, readOnly }); */
export function createAgents(deps: AgentDeps): Agents {
  const inOrder = createOrder();
  return {
    session: ({ client, grants = [] }) =>
      new Session(
        deps,
        inOrder,
        client,
        grants.map((text) => ({ text, terms: parseGrant(text) })),
      ),
    list: () => listed(deps.records),
    endGrant: (id) => shown(writable(deps).end(id)),
  };
}

interface Given {
  readonly text: string;
  readonly terms: GrantTerms;
}

class Session implements AgentSession {
  readonly isNarrowed: boolean;
  readonly #deps: AgentDeps;
  readonly #inOrder: Order;
  readonly #client: () => Proposer | undefined;
  readonly #given: readonly Given[];
  /** By the text of the grant; noted at the first call, when the client has said its name. */
  readonly #noted = new Map<string, string>();

  constructor(deps: AgentDeps, inOrder: Order, client: () => Proposer | undefined, given: readonly Given[]) {
    this.#deps = deps;
    this.#inOrder = inOrder;
    this.#client = client;
    this.#given = given;
    this.isNarrowed = given.some(({ terms: { may } }) => may.includes('read') || may.includes('propose'));
  }

  may(act: 'read' | 'propose', target: ActTarget): boolean {
    const isLimited = this.#given.some(({ terms }) => terms.may.includes(act));
    return !isLimited || this.#isGranted(act, target);
  }

  async save(source: Savable, checkpoint: NewCheckpoint, signal?: AbortSignal): Promise<AgentSave> {
    const { stores } = this.#deps;
    const records = writable(this.#deps);
    const store = source.info.id;
    const { task } = checkpoint;
    const at = { store: placeIn(stores, source), task };
    const client = clientName(this.#client());
    return this.#inOrder(store, async () => {
      if (!stores.mayKeep(store)) return this.#propose(source, checkpoint, NOT_KEPT, signal);
      const isOwn = await claimed(records, { source, at, client });
      if (!isOwn && !this.#isGranted('save', { store, task }))
        return this.#propose(source, checkpoint, `"${task}" was begun by another program.`, signal);
      const answer = await saveThroughGate({ ...this.#deps, records }, { source, at, client, checkpoint });
      if ('reason' in answer) return this.#propose(source, checkpoint, answer.reason, signal);
      stores.touch(store, task);
      this.did('save', { store, task });
      return answer;
    });
  }

  did(act: AgentAct, target?: ActTarget): void {
    const { records, readOnly, stores } = this.#deps;
    if (records === undefined || readOnly) return;
    const task = target !== undefined && stores.mayKeep(target.store) ? target.task : undefined;
    try {
      records.did({ client: clientName(this.#client()), kind: act, ...compact({ store: target?.store, task }) });
    } catch (error) {
      // A journal that is busy or full is no reason to refuse an answer.
      process.emitWarning(`What an agent did could not be noted: ${String(error)}`);
    }
  }

  async #propose(source: Savable, checkpoint: NewCheckpoint, reason: string, signal?: AbortSignal): Promise<AgentSave> {
    const { proposals } = this.#deps;
    const store = source.info.id;
    const by = this.#client() ?? { name: UNNAMED };
    const request = { ...checkpoint, kind: 'save' as const, client: clientName(this.#client()) };
    const proposal = await proposals.propose({ store, request, by, reason, signal });
    this.did('propose', { store, task: checkpoint.task });
    return { proposal, reason };
  }

  #isGranted(act: AgentAct, target: ActTarget): boolean {
    return this.#given.some(
      (given) => given.terms.may.includes(act) && covers(given.terms, target) && this.#isLive(given),
    );
  }

  /** As the journal says now, where it may be written; else as it was given. */
  #isLive({ text, terms }: Given): boolean {
    const { records, readOnly } = this.#deps;
    if (records === undefined || readOnly) return stateOf(terms) === 'active';
    const client = clientName(this.#client());
    const id = this.#noted.get(text) ?? records.give({ client, spec: text, ...compact({ until: terms.until }) }).id;
    this.#noted.set(text, id);
    const grant = records.grants().find((one) => one.id === id);
    return grant !== undefined && stateOf(grant) === 'active';
  }
}

const NOT_KEPT = 'Nothing of this store is written down without consent, so nobody can tell whose its tasks are.';

/** True for a task of the client's own; one without checkpoints becomes its own. */
async function claimed(
  records: AgentRecords,
  { source, at, client }: { readonly source: Savable; readonly at: TaskPlace; readonly client: string },
): Promise<boolean> {
  const { items } = await source.checkpoints(at.task, { limit: 1 });
  if (items.length === 0) records.claim(at, client, records.ownerOf(at) !== undefined);
  return records.ownerOf(at) === client;
}

function writable({ records, readOnly }: AgentDeps): AgentRecords {
  if (readOnly) throw new InspectorError('read_only', 'The inspector was started with --read-only.');
  if (records) return records;
  throw new InspectorError('unsupported', 'There is no journal here that could tell whose a task is.');
}

function listed(records: AgentRecords | undefined): readonly Agent[] {
  const grants = (records?.grants() ?? []).map(shown);
  const activity = records?.activity() ?? [];
  const clients = new Set([...activity, ...grants].map(({ client }) => client));
  return [...clients].map((client) => ({
    client,
    activity: activity.filter((one) => one.client === client).map(({ client: _client, ...act }) => act),
    grants: grants.filter((grant) => grant.client === client),
  }));
}

const shown = (grant: AgentGrant): ShownGrant => ({ ...grant, state: stateOf(grant) });

function stateOf({ until, endedAt }: Pick<AgentGrant, 'until' | 'endedAt'>): ShownGrant['state'] {
  if (endedAt !== undefined) return 'ended';
  return until !== undefined && Date.parse(until) <= Date.now() ? 'expired' : 'active';
}

type Order = ReturnType<typeof createOrder>;

/** Saves to a store are done one after the other: making room and saving belong together. */
function createOrder() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(store: string, work: () => Promise<T>): Promise<T> => {
    const done = (last.get(store) ?? Promise.resolve()).then(work, work);
    last.set(store, done);
    return done;
  };
}

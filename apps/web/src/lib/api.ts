/** Every call the page makes. Components reach it through `queries.ts` and mutations only. */
import { createApiClient } from '@checkpoint-inspector/api/client';
import {
  type Address,
  type ChangeRequest,
  type Explanation,
  formatAddress,
  type HistoryLine,
  idToSegment,
  type Part,
  type TaskOutcome,
} from '@checkpoint-inspector/core';
import { authorisedFetch } from './http.ts';

/** The token may change while the page is open, so `authorisedFetch` sets it, not the client. */
const client = createApiClient({ baseUrl: globalThis.location?.origin ?? '', token: '', fetch: authorisedFetch }).api;

/** Some of a state, and the hash of all of it. */
type PartAnswer = Part & { readonly hash: string };

type Signal = { readonly signal?: AbortSignal };

/** Hands react-query's signal to the call. */
const until = ({ signal }: Signal) => (signal === undefined ? {} : { init: { signal } });

/** `ignore` absent: the store's own rules; an empty list: none. */
const pairQuery = (a: Address, b: Address, ignore?: readonly string[]) => ({
  a: formatAddress(a),
  b: formatAddress(b),
  ...(ignore === undefined ? {} : { ignore: ignore.length === 0 ? [''] : [...ignore] }),
});

/** Without the keys that are undefined: the wire has no such thing. */
function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

export interface PartAsked {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly depth?: number;
  readonly preview?: number;
  readonly hash?: string | undefined;
}

export interface ExplainAsked {
  /** The run to compare with: a task, or the address of its last checkpoint. */
  readonly against?: string | undefined;
  /** `<path>=<json>`: what a value should be. */
  readonly expect?: string | undefined;
}

interface FindAsked {
  readonly text: string;
  readonly from?: number | undefined;
  readonly hash?: string | undefined;
}

const taskRoute = client.stores[':store'].tasks[':task'];
const checkpointRoute = client.stores[':store'].checkpoints[':id'];

const taskOf = (store: string, task: string) => ({ param: { store, task: idToSegment(task) } });
const placeOf = (at: Address) => ({
  param: { store: at.store, id: idToSegment(at.id) },
  query: { task: at.task, ns: at.namespace ?? '' },
});

/** The place of a checkpoint, with more in the query. */
const askedOf = <Asked extends object>(at: Address, asked: Asked) => {
  const { param, query } = placeOf(at);
  return { param, query: { ...query, ...asked } };
};

const labelOf = (at: Address, label: string) => {
  const { param, query } = placeOf(at);
  return { param: { ...param, label: idToSegment(label) }, query };
};

const json = async <Value>(answer: Promise<{ json(): Promise<Value> }>): Promise<Value> => (await answer).json();
const blob = async (answer: Promise<{ blob(): Promise<Blob> }>): Promise<Blob> => (await answer).blob();

export interface TasksQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly text?: string;
  readonly status?: TaskOutcome;
  readonly store?: string;
}

interface CheckpointsQuery {
  readonly limit?: number;
  readonly cursor?: string | undefined;
  readonly around?: string | undefined;
  readonly ns?: string | undefined;
}

/** Numbers travel as text. */
const asTexts = (values: object): Record<string, string> =>
  Object.fromEntries(Object.entries(given(values)).map(([key, value]) => [key, String(value)]));

/** States of any size, some of them at a time. */
const bigReading = {
  part: async (at: Address, { path, ...query }: PartAsked, options: Signal = {}): Promise<PartAnswer> => {
    const answer = await checkpointRoute.state.$get(askedOf(at, { path, ...asTexts(query) }), until(options));
    // Children hold children: the client's own type for that has no end. The server's tests hold it to this one.
    return JSON.parse(await answer.text()) as PartAnswer;
  },
  findInState: (at: Address, { text, ...query }: FindAsked, options: Signal = {}) =>
    json(checkpointRoute.state.find.$get(askedOf(at, { text, ...asTexts(query) }), until(options))),
  /** JSON text of a value, or the bytes of its base64. */
  value: (at: Address, query: { path: string; hash?: string | undefined; as?: 'bytes' }) =>
    blob(checkpointRoute.state.value.$get(askedOf(at, given(query)))),
  stateFile: (at: Address) => blob(checkpointRoute.state.$get(placeOf(at))),
  /** The first stored bytes, and how many there are. */
  rawHead: async (at: Address, bytes: number, options: Signal = {}): Promise<{ head: Blob; size: number }> => {
    const headers = { range: `bytes=0-${bytes - 1}` };
    const answer = await checkpointRoute.raw.$get(placeOf(at), { ...until(options), headers });
    const head = await answer.blob();
    return { head, size: Number(answer.headers.get('content-range')?.split('/')[1] ?? head.size) };
  },
};

const reading = {
  status: (options: Signal = {}) => json(client.status.$get({}, until(options))),
  stores: (options: Signal = {}) => json(client.stores.$get({}, until(options))),
  tasks: ({ limit, ...query }: TasksQuery, options: Signal = {}) =>
    json(client.tasks.$get({ query: given({ ...query, limit: limit?.toString() }) }, until(options))),
  task: (store: string, task: string, options: Signal = {}) =>
    json(taskRoute.$get(taskOf(store, task), until(options))),
  checkpoints: (store: string, task: string, { limit, ...asked }: CheckpointsQuery, options: Signal = {}) => {
    const query = { ...given({ ...asked, limit: limit?.toString() }), summary: '1' } as const;
    return json(taskRoute.checkpoints.$get({ ...taskOf(store, task), query }, until(options)));
  },
  tree: (store: string, task: string, options: Signal = {}) =>
    json(taskRoute.tree.columns.$get(taskOf(store, task), until(options))),
  lanes: (store: string, task: string, options: Signal, compare?: string) =>
    json(taskRoute.lanes.$get({ ...taskOf(store, task), query: given({ compare }) }, until(options))),
  /** Two runs, each `store/task` or the address of its last checkpoint. */
  compareRuns: (a: string, b: string, options: Signal = {}) =>
    json(client.compare.$get({ query: { a, b } }, until(options))),
  growth: (store: string, task: string, options: Signal = {}) =>
    json(taskRoute.growth.$get(taskOf(store, task), until(options))),
  /** What is known so far; asked again it tells more. */
  explanation: (at: Address, asked: ExplainAsked = {}, options: Signal = {}): Promise<Explanation> => {
    const query = { cp: at.id, ns: at.namespace ?? '', known: 'true', ...given(asked) } as const;
    return json(taskRoute.explain.$get({ ...taskOf(at.store, at.task), query }, until(options)));
  },
  /** Lines as they come; the reading ends with `signal`. */
  history: async function* (at: Address, path: string, options: Signal = {}): AsyncGenerator<readonly HistoryLine[]> {
    const query = { path, cp: at.id, ns: at.namespace ?? '' };
    const { body } = await taskRoute.history.$get({ ...taskOf(at.store, at.task), query }, until(options));
    if (body === null) return;
    const { readLines } = await import('./streams.ts');
    // Each line is one of the route's own schema; the server's tests hold it to that.
    for await (const lines of readLines(body)) yield lines as readonly HistoryLine[];
  },
  gone: (
    store: string,
    query: { id: string; task?: string | undefined; ns?: string | undefined },
    options: Signal = {},
  ) => json(client.stores[':store'].gone.$get({ param: { store }, query: given(query) }, until(options))),
  find: (store: string, id: string, options: Signal = {}) =>
    json(client.stores[':store'].checkpoints.$get({ param: { store }, query: { id } }, until(options))),
  checkpoint: (at: Address, options: Signal = {}) => json(checkpointRoute.$get(placeOf(at), until(options))),
  beside: (at: Address, options: Signal = {}) => json(checkpointRoute.beside.$get(placeOf(at), until(options))),
  state: async (at: Address, options: Signal = {}) => {
    const response = await checkpointRoute.state.$get(placeOf(at), until(options));
    const derived = response.headers.get('x-state-derived');
    return {
      text: await response.text(),
      hash: (response.headers.get('etag') ?? '').replaceAll('"', ''),
      // How the text was assembled, where it is not an exact slice of the store.
      ...(derived === null ? {} : { derived: decodeURIComponent(derived) }),
    };
  },
  raw: (at: Address) => blob(checkpointRoute.raw.$get(placeOf(at))),
  ...bigReading,
  diff: (a: Address, b: Address, ignore?: readonly string[], options: Signal = {}) =>
    json(client.diff.$get({ query: pairQuery(a, b, ignore) }, until(options))),
  steps: (a: Address, b: Address, ignore?: readonly string[], options: Signal = {}) =>
    json(client.diff.steps.$get({ query: pairQuery(a, b, ignore) }, until(options))),
  errors: (options: Signal = {}) => json(client.errors.$get({ query: {} }, until(options))),
  outlines: (options: Signal = {}) => json(client.outlines.$get({ query: {} }, until(options))),
  inbox: (options: Signal = {}) => json(client.inbox.$get({ query: {} }, until(options))),
  usage: (query: { store?: string; task?: string }, options: Signal = {}) =>
    json(client.usage.$get({ query }, until(options))),
  annotations: (store: string, task: string, options: Signal = {}) =>
    json(client.stores[':store'].annotations.$get({ param: { store }, query: { task } }, until(options))),
  search: (q: string, cursor?: string, options: Signal = {}) =>
    json(client.search.$get({ query: { q, limit: '100', ...given({ cursor }) } }, until(options))),
  proposals: (options: Signal = {}) => json(client.proposals.$get({}, until(options))),
  proposal: (id: string, options: Signal = {}) => json(client.proposals[':id'].$get({ param: { id } }, until(options))),
  receipt: (id: string, options: Signal = {}) => json(client.receipts[':id'].$get({ param: { id } }, until(options))),
  activity: (cursor?: string, options: Signal = {}) =>
    json(client.activity.$get({ query: given({ cursor }) }, until(options))),
  trash: (cursor?: string, options: Signal = {}) =>
    json(client.trash.$get({ query: given({ cursor }) }, until(options))),
  trashSummary: (options: Signal = {}) => json(client.trash.summary.$get({}, until(options))),
  storage: (options: Signal = {}) => json(client.storage.$get({}, until(options))),
  /** One part of a prune plan in full. */
  planItems: (id: string, part: PlanPart, cursor?: string, options: Signal = {}) => {
    const query = { part, limit: '1000', ...given({ cursor }) };
    return json(client.plans[':id'].items.$get({ param: { id }, query }, until(options)));
  },
  /** The stream of events; the caller reads the body. */
  events: async (lastEventId: string | undefined, signal: AbortSignal): Promise<Response> =>
    client.events.$get({}, { init: { signal }, headers: given({ 'last-event-id': lastEventId }) }),
};

export type PlanPart = 'removes' | 'protected' | 'skipped';

interface ExportAsked {
  readonly store: string;
  readonly task: string;
  readonly format: 'bundle' | 'html' | 'viewer';
  readonly reveal: boolean;
}

const exporting = {
  exportPreview: (store: string, task: string, options: Signal = {}) =>
    json(client.export.preview.$post({ json: { store, task } }, until(options))),
  exportTask: (asked: ExportAsked) => blob(client.export.$post({ json: asked })),
};

const demo = {
  demoReset: async (): Promise<void> => {
    await client.demo.reset.$post();
  },
  demoScene: async (scene: number): Promise<void> => {
    await client.demo.scene.$post({ json: { scene } });
  },
};

const changing = {
  openStore: (target: string) => json(client.stores.$post({ json: { target } })),
  openHome: () => json(client.home.$post()),
  keepIndex: async (store: string): Promise<void> => {
    await client.stores[':store']['keep-index'].$post({ param: { store } });
  },
  /** The file itself is the body. */
  openBundle: (file: File) => {
    const headers = { 'content-type': 'application/json' };
    return json(client.bundles.$post({ query: { name: file.name } }, { headers, init: { body: file } }));
  },
  closeStore: async (store: string): Promise<void> => {
    await client.stores[':store'].$delete({ param: { store } });
  },
  /** The key travels in the body of this one request. */
  unlock: (store: string, key: string) =>
    json(client.stores[':store'].unlock.$post({ param: { store }, json: { key } })),
  addLabel: (at: Address, label: string) => json(checkpointRoute.labels[':label'].$put(labelOf(at, label))),
  removeLabel: (at: Address, label: string) => json(checkpointRoute.labels[':label'].$delete(labelOf(at, label))),
  setNote: (at: Address, note: string) => json(checkpointRoute.note.$put({ ...placeOf(at), json: { note } })),
  plan: (store: string, request: ChangeRequest) => json(client.plans.$post({ json: { store, request } })),
  apply: (planId: string) => json(client.plans[':id'].apply.$post({ param: { id: planId } })),
  applyProposal: (id: string, planId: string) =>
    json(client.proposals[':id'].apply.$post({ param: { id }, json: { planId } })),
  agents: (options: Signal = {}) => json(client.agents.$get({}, until(options))),
  endGrant: (id: string) => json(client.grants[':id'].$delete({ param: { id } })),
  dismiss: (proposalId: string) => json(client.proposals[':id'].dismiss.$post({ param: { id: proposalId } })),
  planPurge: (which: { expired?: boolean }) => json(client.trash.plans.$post({ json: which })),
  purge: (planId: string) => json(client.trash.purge.$post({ json: { planId } })),
  masking: (options: Signal = {}) => json(client.masking.$get({}, until(options))),
  changeMasking: (rules: { readonly hide: readonly string[]; readonly safe: readonly string[] }) =>
    json(client.masking.$put({ json: rules })),
  keepTrash: (keepDays: number) => json(client.trash.settings.$put({ json: { keepDays } })),
  undo: (receiptId: string) => json(client.receipts[':id'].undo.$post({ param: { id: receiptId } })),
};

export const api = { ...reading, ...changing, ...exporting, ...demo };

// Answers of the HTTP surface, as the typed client gives them.

type Api = typeof api;
type Answer<Call extends keyof Api> = Api[Call] extends (...asked: never[]) => Promise<infer Value> ? Value : never;

/** A row of the history: with one line on what changed since its parent, and how many differences there are. */
export type CheckpointRow = Answer<'checkpoints'>['items'][number];
export type LaneFacts = Answer<'lanes'>['items'][number];
export type StoreFailure = Answer<'tasks'>['failures'][number];
/** Stores whose tasks are still being read. */
export type StoresRead = Answer<'tasks'>['reading'];
export type DiffAnswer = Answer<'diff'>;
/** Which checkpoints on the way made each difference. */
export type StepsAnswer = Answer<'steps'>;
/** What an export will hold, and the secrets it will mask, by shape. */
export type ExportPreview = Answer<'exportPreview'>;
export type TrashItem = Answer<'trash'>['items'][number];
/** Why a checkpoint that a link names is missing. */
export type GoneAnswer = Answer<'gone'>;
export type RunComparison = Answer<'compareRuns'>;
export type RunSide = RunComparison['a'];
export type RunRow = RunComparison['rows'][number];
export type RunStep = NonNullable<RunRow['a']>;
export type SentDifference = NonNullable<RunStep['changes']>[number];
/** What is kept beside a checkpoint. */
export type BesideAnswer = Answer<'beside'>;
/** What stores, journal and trash take up. */
export type Storage = Answer<'storage'>;
export type Growth = Answer<'growth'>;
export type TrashSummary = Answer<'trashSummary'>;
export type PurgePlan = Answer<'planPurge'>;
export type SearchAnswer = Answer<'search'>;
export type SearchItem = SearchAnswer['items'][number];
export type SearchCoverage = SearchAnswer['coverage'][number];
type ErrorsAnswer = Answer<'errors'>;
export type ErrorGroup = ErrorsAnswer['items'][number];
export type FailedTask = ErrorGroup['tasks'][number];
export type Outline = Answer<'outlines'>['items'][number];
/** A change that an agent would like. */
export type Proposal = Answer<'proposal'>;
export type Agent = Answer<'agents'>['items'][number];
export type InboxItem = Answer<'inbox'>['items'][number];
export type UsageAnswer = Answer<'usage'>;
/** How much of the stores was searched. */
export type Coverage = ErrorsAnswer['coverage'];
export type Annotation = Answer<'annotations'>['items'][number];

import { openSqlite, type SqliteDatabase } from '@checkpoint-inspector/io';
import { ago } from './seeding.ts';

/** The table as Mastra makes it. The snapshot is SQLite's binary form of JSON, whatever its type says. */
const DDL = `CREATE TABLE mastra_workflow_snapshot (
  "workflow_name" TEXT, "run_id" TEXT, "resourceId" TEXT, "snapshot" TEXT, "createdAt" TEXT, "updatedAt" TEXT,
  UNIQUE (workflow_name, run_id)
)`;

interface Step {
  readonly id: string;
  readonly seconds: number;
  readonly output: Readonly<Record<string, unknown>>;
  /** What a person was asked, and said. */
  readonly asked?: { readonly question: string; readonly answer: Readonly<Record<string, unknown>> };
}

const INPUT = { repository: 'shop-api', from: 'v2.3.0', to: 'v2.4.0' };

const STEPS: readonly Step[] = [
  {
    id: 'collect-commits',
    seconds: 3,
    output: { commits: ['fix: rounding of VAT', 'feat: gift cards', 'feat: search by colour', 'chore: bump node'] },
  },
  {
    id: 'group-changes',
    seconds: 2,
    output: { features: ['gift cards', 'search by colour'], fixes: ['rounding of VAT'], hidden: 1 },
  },
  {
    id: 'write-draft',
    seconds: 14,
    output: { draft: 'Gift cards are here, and you can search by colour. VAT is rounded as the law says.' },
  },
  {
    id: 'review',
    seconds: 620,
    output: { text: 'Gift cards are here. You can search by colour. VAT is rounded as the law says.' },
    asked: { question: 'Is this ready to go out?', answer: { approved: true, by: 'Ann' } },
  },
  { id: 'publish', seconds: 4, output: { url: 'https://example.com/releases/v2.4.0', sent: 312 } },
];

const MINUTES_AGO = 47;

/** A workflow that wrote release notes: a person approved them on the way, and all of it is in Mastra's one row. */
export function seedMastra(path: string, now: Date): void {
  const database = openSqlite(path, { readOnly: false, create: true });
  try {
    database.exec(DDL);
    insertRun(database, now);
  } finally {
    database.close();
  }
}

function insertRun(database: SqliteDatabase, now: Date): void {
  const begun = now.getTime() - MINUTES_AGO * 60_000;
  const { context, ended } = contextOf(begun);
  const ids = STEPS.map(({ id }) => id);
  const snapshot = {
    runId: 'release-2.4.0',
    status: 'success',
    value: {},
    context,
    activePaths: [STEPS.length - 1],
    stepExecutionPath: ids,
    activeStepsPath: {},
    serializedStepGraph: ids.map((id) => ({ type: 'step', step: { id, canSuspend: true } })),
    suspendedPaths: {},
    waitingPaths: {},
    resumeLabels: {},
    result: STEPS.at(-1)?.output,
    requestContext: {},
    timestamp: ended,
  };
  database
    .prepare('INSERT INTO mastra_workflow_snapshot VALUES (?, ?, ?, jsonb(?), ?, ?)')
    .run('release-notes', 'release-2.4.0', 'ann', JSON.stringify(snapshot), ago(now, MINUTES_AGO * 60), isoOf(ended));
}

/** The result of each step, with its times in milliseconds, and when the last one ended. */
function contextOf(begun: number): { readonly context: Readonly<Record<string, unknown>>; readonly ended: number } {
  const context: Record<string, unknown> = { input: INPUT };
  let [at, payload]: [number, unknown] = [begun, INPUT];
  for (const { id, seconds, output, asked } of STEPS) {
    const [startedAt, endedAt] = [at, at + seconds * 1_000];
    const waited = asked && {
      suspendPayload: { question: asked.question },
      suspendedAt: startedAt + 1_000,
      resumePayload: asked.answer,
      resumedAt: endedAt - 1_000,
    };
    context[id] = { payload, startedAt, status: 'success', ...waited, output, endedAt };
    [at, payload] = [endedAt, output];
  }
  return { context, ended: at };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

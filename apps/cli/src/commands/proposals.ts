import { InspectorError } from '@checkpoint-inspector/core';
import type { Proposal } from '@checkpoint-inspector/inspector';
import type { Command } from 'commander';
import { ask, limited, LIMIT_OPTION, print, printable, table, whole } from '../output.ts';
import { withStores, examplesOf, type Listing, type Verbs } from '../verbs.ts';
import type { Run } from '../workspace.ts';
import { confirmPlans, planLines, printReceipt } from './change.ts';
import { opening, storeOf, what } from './receipts.ts';

interface ProposalOptions extends Listing {
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export function addProposals(verbs: Verbs): void {
  const list = verbs
    .overStores('proposals', {
      group: 'change',
      about: 'list what agents propose over MCP, for you to decide; -s limits the list to one store',
      examples: ['proposals', 'proposals --all --json', 'proposals show 4ead', 'proposals apply 4ead --dry-run'],
    })
    .option('--all', 'also what was applied, dismissed or has expired')
    .option(...LIMIT_OPTION)
    .action((options: ProposalOptions) => proposing(verbs, true, options, (run) => proposals(run, options)));
  const one = (
    usage: string,
    about: string,
    { readOnly = false, decides = true }: { readonly readOnly?: boolean; readonly decides?: boolean },
    act: (run: Run, id: string, options: ProposalOptions) => Promise<void>,
  ): Command => {
    const command = list
      .command(`${usage} <proposal>`)
      .description(about)
      .configureHelp({ showGlobalOptions: true })
      .addHelpText('after', examplesOf([`proposals ${usage} 4eadca4f-77cd-422a-a0fa-2cdc5d6ad0e7`]));
    if (decides) command.option('-y, --yes', `${usage} without asking`);
    return command.action((id: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<ProposalOptions>();
      return proposing(verbs, readOnly || options.dryRun === true, options, (run) => act(run, id, options));
    });
  };
  one('show', 'show what a proposal would do now', { readOnly: true, decides: false }, show);
  one('apply', 'do what a proposal says, by plan, with undo', {}, apply).option(
    '--dry-run',
    'show the plan and change nothing',
  );
  one('dismiss', 'decide against a proposal', {}, dismiss);
}

const proposing = (
  verbs: Verbs,
  readOnly: boolean,
  options: ProposalOptions,
  work: (run: Run) => Promise<void>,
): Promise<void> => withStores(verbs, { ...options, readOnly, recover: false, mayBeEmpty: true }, work);

/** Those of the stores that are named; of all where none is. */
export async function proposalsIn(run: Run, stores: readonly string[] | undefined): Promise<readonly Proposal[]> {
  const all = (await run.workspace.inspector()).proposals.list();
  return stores === undefined
    ? all
    : all.filter((one) => storeOf(run.workspace, one.store, one.location) !== undefined);
}

async function proposals(run: Run, options: ProposalOptions): Promise<void> {
  const { output, command } = run;
  const found = await proposalsIn(run, options.store);
  const wanted = options.all ? found : found.filter(({ outcome }) => outcome === 'open');
  const { items, of, more } = limited(output, wanted, options.limit);
  print(output, { items, of }, () => [
    ...(items.length === 0 ? [options.all ? 'No proposals.' : 'No proposal is waiting for you.'] : []),
    ...(items.length === 0 ? [] : table(COLUMNS, items.map(cells), output.terminal)),
    ...more,
    ...(items.length === 0 ? [] : [printable(`Look at one, and decide: ${command('proposals', 'show')} <proposal>`)]),
  ]);
}

const COLUMNS = [whole('PROPOSAL'), 'WHEN', 'FROM', 'WHAT', 'STORE', 'TASK', 'OUTCOME', 'RECEIPT'];

const cells = ({ id, at, by, plan, outcome, receiptId }: Proposal): string[] => [
  id,
  at,
  by.name,
  what(plan.request),
  plan.store,
  plan.targetTask ?? plan.task,
  outcome,
  receiptId ?? '',
];

/** For lists of what waits. @example 'Proposal of Claude: restore ckpt_06 in db/report. Decide: checkpoint-inspector proposals show 4ead…' */
export const proposalLine = ({ command }: Run, { id, by, plan }: Proposal): string =>
  printable(
    `Proposal of ${by.name}: ${what(plan.request)} in ${plan.store}/${plan.task}. Decide: ${command('proposals', 'show', id)}`,
  );

async function show(run: Run, name: string): Promise<void> {
  const proposal = await opened(run, name);
  const { id, outcome, obstacle, receiptId, plan } = proposal;
  const { command } = run;
  print(run.output, proposal, () => [
    ...aboutLines(proposal),
    ...planLines(plan),
    ...(outcome === 'open'
      ? [
          obstacle ? `can't be applied: ${obstacle.message}` : `apply: ${command('proposals', 'apply', id)}`,
          `dismiss: ${command('proposals', 'dismiss', id)}`,
        ].map(printable)
      : []),
    ...(receiptId === undefined ? [] : [printable(`receipt: ${receiptId}`)]),
  ]);
}

async function apply(run: Run, name: string, { yes, dryRun }: ProposalOptions): Promise<void> {
  const proposal = await opened(run, name);
  const { id, plan } = proposal;
  if (proposal.obstacle) throw cannotApply(proposal);
  if (dryRun) {
    print(run.output, plan, () => [...aboutLines(proposal), ...planLines(plan)]);
    return;
  }
  if (!yes && proposal.outcome === 'open') await confirmPlans(run, [plan], aboutLines(proposal));
  printReceipt(run, await (await run.workspace.inspector()).proposals.apply(id, plan.id));
}

async function dismiss(run: Run, name: string, { yes }: ProposalOptions): Promise<void> {
  const { proposals: all } = await run.workspace.inspector();
  const proposal = found(all.list(), name);
  if (!yes && proposal.outcome === 'open') {
    for (const line of [...aboutLines(proposal), ...planLines(proposal.plan)]) run.output.note(line);
    await ask('Dismiss this proposal? [y/N] ');
  }
  const dismissed = all.dismiss(proposal.id);
  print(run.output, dismissed, () => [`dismissed: ${dismissed.id}`]);
}

const opened = async ({ workspace }: Run, name: string): Promise<Proposal> => {
  const { proposals: all } = await workspace.inspector();
  return all.get(found(all.list(), name).id);
};

/** By its id or its first letters. @throws InspectorError not_found | ambiguous_id */
function found(all: readonly Proposal[], name: string): Proposal {
  const exact = all.find(({ id }) => id === name);
  const [first, ...others] = exact ? [exact] : all.filter(({ id }) => name.length >= 4 && id.startsWith(name));
  if (first && others.length === 0) return first;
  if (first === undefined)
    throw new InspectorError('not_found', `No proposal "${name}".`, { remedy: 'List them with `proposals --all`.' });
  throw new InspectorError('ambiguous_id', `Several proposals begin with "${name}".`, {
    data: { candidates: [first, ...others].map(({ id }) => id) },
    remedy: 'Give more of the id.',
  });
}

function aboutLines({ by, at, reason, expiresAt, outcome, decidedAt, was }: Proposal): string[] {
  const version = by.version === undefined ? '' : ` ${by.version}`;
  return [
    `proposed by ${by.name}${version} over MCP, ${at}; ${outcome === 'open' ? `expires ${expiresAt}` : `${outcome} ${decidedAt ?? ''}`}`,
    ...(reason === undefined ? [] : [`reason, in the agent's words: ${reason}`]),
    ...(was === undefined ? [] : ['The store has changed since: this is what the agent was shown.', ...was, 'Now:']),
  ].map((line) => printable(line.trimEnd()));
}

function cannotApply({ id, obstacle, location }: Proposal): InspectorError {
  const { code = 'internal', message = '' } = obstacle ?? {};
  const remedy =
    code === 'no_store'
      ? `Run: ${opening(location, 'proposals', 'apply', id)}`
      : 'Ask the agent to propose it again, or make the change yourself.';
  return new InspectorError(code, message, { remedy });
}

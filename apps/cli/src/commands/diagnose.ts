import type { Diagnosis, DiagnosisStep, SentSuspect } from '@checkpoint-inspector/inspector';
import { formatAddress, fromWhereTheyDiffer, NO_LAST_GOOD, type CheckpointRef } from '@checkpoint-inspector/core';
import { many, masked, maskedAt, printable, type Output } from '../output.ts';
import { assertNarrows, resolveCheckpoint, resolveTask } from '../resolve.ts';
import { reading, type Common, type Verbs } from '../verbs.ts';
import type { Run } from '../workspace.ts';

interface DiagnoseOptions extends Common {
  readonly cp?: string;
  readonly ns?: string;
}

const SHOWN = 60;

export function addDiagnose(verbs: Verbs): void {
  verbs
    .overTask('diagnose <task> [store...]', {
      group: 'look',
      about: 'show what went wrong: the error, the last good checkpoint, and the likely causes',
      examples: ['diagnose report', 'diagnose report ./checkpoints.sqlite --json', 'diagnose report --cp ckpt_07'],
    })
    .option('--cp <checkpoint>', 'the end of the branch; default: the latest')
    .option('--ns <namespace>', 'namespace of --cp')
    .action((task: string, stores: readonly string[], options: DiagnoseOptions) =>
      reading(verbs, { ...options, store: [...(options.store ?? []), ...stores] }, (run) =>
        diagnoseTask(run, task, options),
      ),
    );
}

async function diagnoseTask(
  { workspace, output, command }: Run,
  name: string,
  options: DiagnoseOptions,
): Promise<void> {
  assertNarrows(options);
  const { cp, ns } = options;
  const { source, task } = await resolveTask(workspace, name);
  const found = cp === undefined ? undefined : await resolveCheckpoint(workspace, cp, { task: name, ns });
  const end = found === undefined ? {} : { cp: found.ref.id, ns: found.ref.namespace ?? '' };
  const { diagnoses } = await workspace.inspector();
  const answer = await diagnoses.of(source.info.id, { task, ...end });
  if (output.json) return output.line(masked(JSON.stringify(answer)));
  const backTo = (ref: CheckpointRef) => command('restore', formatAddress({ store: source.info.id, ...ref }));
  for (const line of linesOf(answer, task, output, backTo)) output.line(line);
}

function linesOf(answer: Diagnosis, task: string, output: Output, backTo: (ref: CheckpointRef) => string): string[] {
  const { error, failingStep, lastGood, recovered, outcome } = answer;
  if (outcome === 'healthy' || error === undefined) {
    const isWhole = answer.examined.gaps.length === 0;
    const words = isWhole ? `Nothing failed in ${task}.` : `No failure found in what could be read of ${task}.`;
    return [printable(words), ...footOf(answer)];
  }
  const said = error.kind === 'check' ? 'completed with a failed check' : 'completed, but its state reports an error';
  const what = error.from === 'state' ? said : 'failed';
  const where = failingStep === undefined ? '' : ` at ${nameOf(failingStep)}`;
  return [
    printable(`${task} ${what}${where}${error.node === undefined ? '' : `, in node ${error.node}`}`),
    ...(error.unsaid === true
      ? ['  No message was stored.']
      : error.message.split('\n').map((line) => `  ${printable(line)}`)),
    ...(recovered === undefined ? [] : [printable(`Recovered: ${nameOf(recovered)} continued from it.`)]),
    lastGood === undefined ? `${NO_LAST_GOOD}.` : printable(goodWords(lastGood)),
    '',
    ...causesOf(answer, output),
    ...(lastGood === undefined ? [] : ['', printable(`Go back:  ${backTo(lastGood.ref)}`)]),
    ...footOf(answer),
  ];
}

function goodWords(good: NonNullable<Diagnosis['lastGood']>): string {
  const { back, holds } = good;
  const far = back === 0 ? 'the next step failed' : `${back} ${back === 1 ? 'step' : 'steps'} back`;
  return `Last good: ${nameOf(good)}, ${far}.${holds === undefined ? '' : ` ${holdsWords(holds)}`}`;
}

function holdsWords({ from, to }: { readonly from: DiagnosisStep; readonly to: DiagnosisStep }): string {
  if (from.seq === to.seq) return `${numberOf(from)} did not fail but holds the suspect value.`;
  return `${numberOf(from)} to ${numberOf(to)} did not fail but hold the suspect value.`;
}

function causesOf({ suspects, outcome }: Diagnosis, output: Output): string[] {
  const head =
    outcome === 'suspects'
      ? 'Likely causes (suggestions, most likely first)'
      : 'No single change is clearly the cause. It may also lie outside the saved states.';
  if (outcome === 'unclear' && suspects.length > 0) {
    return [
      head,
      'Possible causes (guesses, most likely first)',
      ...suspects.flatMap((one, at) => suspectLines(one, at, output)),
    ];
  }
  return [head, ...suspects.flatMap((one, at) => suspectLines(one, at, output))];
}

function suspectLines(suspect: SentSuspect, at: number, { terminal }: Output): string[] {
  const { kind, path, before = '', after = '' } = suspect;
  const shown = (json: string): string => printable(maskedAt(path, json));
  const [old, now] =
    terminal?.width === undefined ? [shown(before), shown(after)] : fromWhereTheyDiffer(suspect, shown).map(short);
  const change: Record<SentSuspect['kind'], string> = {
    added: `added ${now}`,
    removed: `removed ${old}`,
    changed: `${old} → ${now}`,
    'type-changed': `${old} → ${now}`,
    unchanged: `still ${now}`,
  };
  return [
    `${at + 1}  ${printable(nameOf(suspect))}  ${printable(path)}  ${change[kind]}`,
    ...suspect.reasons.map((reason) => `   ${printable(reason)}`),
  ];
}

const short = (text: string): string => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 1)}…`);

const numberOf = ({ seq, stepIndex }: Pick<DiagnosisStep, 'seq' | 'stepIndex'>): string =>
  `#${String(stepIndex ?? seq).padStart(2, '0')}`;

const nameOf = (step: DiagnosisStep): string => `${numberOf(step)} ${step.description ?? step.ref.id}`;

function footOf({ examined: { n, of, gaps, outside = 0 } }: Diagnosis): string[] {
  return [
    ...gaps.slice(0, 5).map(({ ref, reason }) => printable(`Not read: ${ref.id}: ${reason}`)),
    ...(gaps.length > 5 ? [`Not read: ${gaps.length - 5} more.`] : []),
    ...(outside > 0 ? [`${many(outside, 'older checkpoint')} ${outside === 1 ? 'was' : 'were'} not examined.`] : []),
    `${n.toLocaleString('en')} of ${many(of)} examined`,
  ];
}

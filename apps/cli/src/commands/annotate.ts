import type { AnnotationService } from '@checkpoint-inspector/inspector';
import { InspectorError } from '@checkpoint-inspector/core';
import { masked, print } from '../output.ts';
import { resolveCheckpoint, type Narrow } from '../resolve.ts';
import type { Run } from '../workspace.ts';
import { withStores, type Common, type Verbs } from '../verbs.ts';

interface AnnotateOptions extends Common, Narrow {
  readonly remove?: boolean;
}

export function addAnnotate(verbs: Verbs): void {
  verbs
    .overCheckpoint('label <checkpoint> [labels...]', {
      group: 'keep',
      about: 'label a checkpoint (stored in the journal); `bookmark` protects it from pruning',
      examples: ['label report/latest good', 'label ckpt_07 bookmark', 'label ckpt_07 good --remove', 'label ckpt_07'],
    })
    .option('--remove', 'remove these labels')
    .action((id: string, labels: string[], options: AnnotateOptions) =>
      keeping(verbs, options, (run) => label(run, id, labels, options)),
    );
  verbs
    .overCheckpoint('note <checkpoint> [text...]', {
      group: 'keep',
      about: 'write a note for a checkpoint (stored in the journal)',
      examples: ['note report/latest the numbers are right', 'note ckpt_07 --remove', 'note ckpt_07'],
    })
    .option('--remove', 'remove the note')
    .action((id: string, words: string[], options: AnnotateOptions) =>
      keeping(verbs, options, (run) => note(run, id, words.length === 0 ? undefined : words.join(' '), options)),
    );
}

/** The stores are only read: what is written is kept in the journal. */
const keeping = (verbs: Verbs, options: AnnotateOptions, work: (run: Run) => Promise<void>): Promise<void> =>
  withStores(verbs, { ...options, readOnly: false, recover: false }, work);

type Written = Awaited<ReturnType<AnnotationService['setNote']>>;

async function label(run: Run, id: string, labels: readonly string[], options: AnnotateOptions): Promise<void> {
  const { source, ref } = await resolveCheckpoint(run.workspace, id, options);
  const { annotations: service } = await run.workspace.inspector();
  const store = source.info.id;
  let written: Written = service.of(store, ref);
  if (options.remove) assertThere(labels, written.labels);
  for (const one of labels) {
    written = options.remove ? await service.removeLabel(store, ref, one) : await service.addLabel(store, ref, one);
  }
  show(run, written);
}

/** @throws InspectorError not_found, before any is removed */
function assertThere(labels: readonly string[], known: readonly string[]): void {
  const missing = labels.find((one) => !known.includes(one));
  if (missing === undefined) return;
  throw new InspectorError('not_found', `This checkpoint doesn't have the label "${missing}".`, {
    remedy: known.length === 0 ? 'It has no labels.' : `Its labels: ${known.map(masked).join(', ')}.`,
  });
}

async function note(run: Run, id: string, text: string | undefined, options: AnnotateOptions): Promise<void> {
  const { source, ref } = await resolveCheckpoint(run.workspace, id, options);
  const { annotations: service } = await run.workspace.inspector();
  const store = source.info.id;
  const next = options.remove ? '' : text;
  show(run, next === undefined ? service.of(store, ref) : await service.setNote(store, ref, next));
}

function show({ output }: Run, written: Written): void {
  print(output, written, () => [
    written.labels.length === 0 ? 'No labels.' : `Labels: ${written.labels.map(masked).join(', ')}`,
    written.note === undefined ? 'No note.' : `Note: ${masked(written.note)}`,
  ]);
}

import { createAnnotationService } from '@checkpoint-inspector/api';
import type { AnnotationService } from '@checkpoint-inspector/api';
import { maskSecrets } from '@checkpoint-inspector/core';
import { print } from '../output.ts';
import { resolveCheckpoint } from '../resolve.ts';
import type { Narrow } from '../resolve.ts';
import type { Run, Session } from '../session.ts';

export interface AnnotateOptions extends Narrow {
  readonly remove?: boolean;
}

type Written = Awaited<ReturnType<AnnotationService['setNote']>>;

/** `label <id> [label…]`: gives labels, or takes them away; without any it prints those that are there. */
export async function label(run: Run, id: string, labels: readonly string[], options: AnnotateOptions): Promise<void> {
  const { source, ref } = await resolveCheckpoint(run.session, id, options);
  const service = serviceOf(run.session);
  const store = source.info.id;
  let written: Written = service.of(store, ref);
  for (const one of labels) {
    written = options.remove ? await service.removeLabel(store, ref, one) : await service.addLabel(store, ref, one);
  }
  show(run, written);
}

/** `note <id> [text]`: writes the note, or takes it away; without a text it prints the one that is there. */
export async function note(run: Run, id: string, text: string | undefined, options: AnnotateOptions): Promise<void> {
  const { source, ref } = await resolveCheckpoint(run.session, id, options);
  const service = serviceOf(run.session);
  const store = source.info.id;
  const next = options.remove ? '' : text;
  show(run, next === undefined ? service.of(store, ref) : await service.setNote(store, ref, next));
}

function serviceOf({ stores, journal }: Session): AnnotationService {
  return createAnnotationService({ stores, annotations: journal.annotations, readOnly: false });
}

function show({ output }: Run, written: Written): void {
  print(output, written, () => [
    written.labels.length === 0 ? 'No labels.' : `Labels: ${written.labels.map((one) => maskSecrets(one)).join(', ')}`,
    written.note === undefined ? 'No note.' : `Note: ${maskSecrets(written.note)}`,
  ]);
}

/** An answer to "why did it fail?" in at most three sentences, made from a diagnosis and nothing else. */
import type { WorkbenchSearch } from '../../lib/search.ts';
import * as z from 'zod/mini';
import { parseOrUndefined } from '../../lib/http.ts';

const stepSchema = z.looseObject({
  ref: z.looseObject({ task: z.string(), id: z.string() }),
  seq: z.number(),
  stepIndex: z.optional(z.number()),
  description: z.optional(z.string()),
});

const diagnosisSchema = z.object({
  diagnosis: z.looseObject({
    error: z.optional(z.looseObject({ message: z.string() })),
    failingStep: z.optional(stepSchema),
    lastGood: z.optional(stepSchema),
    suspects: z.array(
      z.looseObject({
        ...stepSchema.shape,
        path: z.string(),
        before: z.optional(z.string()),
        after: z.optional(z.string()),
        reasons: z.array(z.string()),
      }),
    ),
    outcome: z.string(),
  }),
});

const listSchema = z.object({ items: z.array(z.looseObject({ id: z.string(), status: z.optional(z.string()) })) });

/** The newest failed checkpoint of a list, the latest first. */
export function newestFailed(text: string): string | undefined {
  const parsed = listSchema.safeParse(parseOrUndefined(text));
  return parsed.success ? parsed.data.items.find(({ status }) => status === 'failed')?.id : undefined;
}

/** Plain text, or the name of a step or value with where it is. */
export type Part = string | { readonly text: string; readonly search: Pick<WorkbenchSearch, 'cp' | 'path' | 'view'> };

type Step = z.infer<typeof stepSchema>;

const numberOf = ({ seq, stepIndex }: Step): string => `#${String(stepIndex ?? seq).padStart(2, '0')}`;

const linkTo = (step: Step): Part => ({ text: numberOf(step), search: { cp: step.ref.id } });

/** What the answer of the tool says, sentence by sentence. */
export function sentencesOf(text: string): readonly (readonly Part[])[] {
  const parsed = diagnosisSchema.safeParse(parseOrUndefined(text));
  if (!parsed.success) return [['The answer is not the one that was expected.']];
  const { error, failingStep, lastGood, suspects, outcome } = parsed.data.diagnosis;
  if (error === undefined || failingStep === undefined) return [['No checkpoint of it failed.']];
  const first: Part[] = ['It failed at ', linkTo(failingStep), `: ${error.message}.`];
  const [suspect] = suspects;
  const cause: Part[] =
    outcome !== 'suspects' || suspect === undefined
      ? ['No change before the failure stands out.']
      : ['The likely cause is ', valueOf(suspect), ' at ', linkTo(suspect), reasonOf(suspect)];
  if (lastGood === undefined) return [first, cause];
  return [first, cause, ['The last good checkpoint is ', linkTo(lastGood), '; restore or fork from there.']];
}

type Suspect = z.infer<typeof diagnosisSchema>['diagnosis']['suspects'][number];

function valueOf({ path, before, after, ref }: Suspect): Part {
  const change = [before, after].filter((side) => side !== undefined).join(' → ');
  const name = path.replace(/^\$\.(?=.)/, '');
  return { text: change === '' ? name : `${name} ${change}`, search: { cp: ref.id, path, view: 'changes' } };
}

function reasonOf({ reasons: [reason] }: Suspect): string {
  if (reason === undefined) return '.';
  return `: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`;
}

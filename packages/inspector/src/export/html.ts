import { createHash } from 'node:crypto';
import type { CheckpointMeta, CheckpointSource } from '@checkpoint-inspector/core';
import type { BranchQuery } from '../history/branch.ts';
import { lineageOf, previewExport } from './bundle.ts';
import { createMasking, searchedText } from '../sharing.ts';
import { causeSection } from './cause.ts';
import { escapeHtml, page, REPORT_STYLE } from './markup.ts';
import { diffSection, historySection, stateSection, tableSection, treeSection } from './sections.ts';
import { runsSection } from './runs.ts';
import { addMissing, missingWords, type Missing, type ReportOptions, type Subject } from './types.ts';
import { readSteps, numberStories, type Step } from './steps.ts';

/** One file that a mail takes; what does not fit is named and left out. */
const MAX_REPORT_BYTES = 8 * 1024 * 1024;
const MAX_STEPS = 500;

/**
 * A task as one HTML file that needs no network and runs no script: what went wrong, checkpoints, tree, what each step changed, the
 * history of the numbers that changed, and the latest state; with `compareWith` also the task beside another run. Secrets of known shapes are masked unless revealed.
 * @example await writeFile('report.html', await report(subject, { task }));
 */
export async function report(whole: Subject, options: ReportOptions): Promise<string> {
  const { reveal = false, now = new Date(), explain = explaining(whole.source), masking = createMasking() } = options;
  const masker = masking.masker({ reveal });
  const subject = newest(whole);
  const steps = await readSteps(subject, options.compare);
  const lineage = await lineageOf(subject);
  const stories = await numberStories(subject, steps, lineage);
  const left = [...subject.leftOut, ...unread(steps)];
  const room = { bytes: MAX_REPORT_BYTES };
  const show = (text: string): string => escapeHtml(masker.text(text));
  const clock = clockIn(options.timeZone);
  const context = { masker, show, time: clock.time, left, room };
  const cause = await causeSection(context, whole, lineage, explain);
  // Of its own: what the other run has is counted, and nothing twice that the task has too.
  const others = masking.masker({ reveal });
  const { compareWith } = options;
  const sections = [
    cause,
    compareWith === undefined ? '' : await runsSection(whole, compareWith, others),
    tableSection(context, steps),
    treeSection(context, subject.task.id, lineage),
    historySection(context, stories),
    await diffSection(context, steps),
    await stateSection(context, subject),
  ].join('\n');
  const html = page({
    title: masker.text(subject.task.title),
    style: REPORT_STYLE,
    styleHash: createHash('sha256').update(REPORT_STYLE).digest('base64'),
    head: `${show(subject.source.info.label)}, ${show(subject.source.info.system)}. Made ${clock.at(now)}. Times are ${zoneWords(clock.zone)}.`,
    // The cause begins with the failed step and its error.
    status: cause === '' ? masker.text(statusOf(subject.task)) : undefined,
    rule: masker.text(subject.source.info.latestRule),
    reveal,
    // Of the whole task, as the dialog said it before: a report shows a part of the states.
    masked: (await previewExport([whole], others)).masked,
    left: left.map(masker.text),
    body: sections,
  });
  return reveal ? html : searchedText(html, masking);
}

const statusOf = ({ status, lastError }: Subject['task']): string =>
  lastError === undefined ? status : `${status}: ${lastError}`;

const explaining = (source: CheckpointSource) => async (query: BranchQuery) => {
  const { explain } = await import('../explain/explain.ts');
  return explain(source, query);
};

/** UTC is nobody's local time. */
const zoneWords = (zone: string): string => (/^(?:Etc\/)?UTC$/.test(zone) ? 'in UTC' : `local, in ${escapeHtml(zone)}`);

/** The zone of the machine that makes the report, unless another is asked for. */
function clockIn(timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone) {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const time = ({ createdAt, createdAtText = '' }: CheckpointMeta): string =>
    createdAt === undefined || Number.isNaN(Date.parse(createdAt)) ? createdAtText : format.format(new Date(createdAt));
  return { zone: timeZone, at: (date: Date): string => format.format(date), time };
}

/** Said once for all steps, not in each row. */
function unread(steps: readonly Step[]): string[] {
  const missing: Missing = new Map();
  for (const { meta, missing: reason } of steps) if (reason !== undefined) addMissing(missing, reason, meta.id);
  return missingWords(missing);
}

function newest(subject: Subject): Subject {
  if (subject.metas.length <= MAX_STEPS) return subject;
  const note = `The newest ${MAX_STEPS} of ${subject.metas.length} checkpoints are in this report. Export a bundle to get them all.`;
  return { ...subject, metas: subject.metas.slice(-MAX_STEPS), leftOut: [...subject.leftOut, note] };
}

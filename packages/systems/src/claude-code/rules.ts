import type { LogRules } from '../log/index.ts';
import { describeTranscript, isAgentFile, isProjectFolder, isTranscript } from './files.ts';
import { TranscriptOutline } from './outline.ts';
import { TranscriptReplay } from './replay.ts';

export const WHY_NOT =
  "Claude Code isn't open source, and no change of its files could be tried with it, so they are only read. Its own /rewind and --fork-session go back and branch.";

/** @param only the one file to show, by its name in the folder */
export function transcriptRules(only?: string): LogRules {
  return {
    system: 'claude-code',
    info: {
      latestRule: 'the last message of the conversation in the file, not of a side chain',
      retention: 'Claude Code deletes sessions by its setting cleanupPeriodDays, 30 days by default.',
      volatilePaths: [],
      capabilities: { restore: WHY_NOT, fork: WHY_NOT, edit: WHY_NOT, delete: WHY_NOT },
      notes: [
        'Files that tools changed are not part of a transcript; copies that Claude Code kept of them are named in the raw lines of a checkpoint.',
      ],
    },
    derived: 'the messages on the way from the first line to this one, each following the line that it names',
    accepts: (name) => (only === undefined ? isTranscript(name) : name === only),
    enters: only === undefined ? isProjectFolder : () => false,
    describe: describeTranscript,
    outline: (settle, { name }, { session, begunBy }) =>
      new TranscriptOutline(settle, { task: session, isAgent: isAgentFile(name), begunBy }),
    replay: () => new TranscriptReplay(),
  };
}

/** Where Claude Code keeps its transcripts, and what one file is by its name, its first lines and the note beside it. */
import { fromJsonText, type CheckpointRef } from '@checkpoint-inspector/core';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { recordOf, textIn } from '../folder/view.ts';
import { brief, type Line, type LogFacts, type LogFile } from '../log/index.ts';
import { readLine, wordsOf } from './entries.ts';
import { stepOf } from './steps.ts';

const TRANSCRIPT = /(?:^|\/)(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|agent-[\w-]+)\.jsonl$/i;
const AGENT_FILE = /(?:^|\/)(agent-[\w-]+)\.jsonl$/;
const OF_SESSION = /(?:^|\/)([^/]+)\/subagents\/[^/]+$/;
/** A note beside the transcript of a sub-agent is a line or two. */
const MOST_NOTE = 64 * 1024;

export const isTranscript = (name: string): boolean => TRANSCRIPT.test(name);

/** Large results of tools and what the model remembers aren't transcripts. */
export const isProjectFolder = (name: string): boolean => !/(?:^|\/)(?:tool-results|memory)$/.test(name);

export const isAgentFile = (name: string): boolean => AGENT_FILE.test(name);

export function describeTranscript({ name, path }: LogFile, head: readonly Line[]): LogFacts {
  const lines = head.flatMap(recordIn);
  const agent = AGENT_FILE.exec(name)?.[1];
  const isEarly = lines.every(({ entry }) => entry?.type !== 'assistant');
  if (agent === undefined) return { session: basename(name, '.jsonl'), title: titleIn(lines), isEarly };
  const session = OF_SESSION.exec(name)?.[1] ?? lines.map(({ record }) => textIn(record, 'sessionId')).find((id) => id);
  const { kind, words, call } = noteOf(path);
  const begunBy: CheckpointRef | undefined =
    session !== undefined && call !== undefined ? { task: session, id: call } : undefined;
  const title = words ?? titleIn(lines);
  return {
    session: session === undefined ? agent : `${session}/${agent}`,
    title: title === undefined ? undefined : `Sub-agent: ${title}`,
    isEarly,
    agentId: kind,
    begunBy,
  };
}

type Read = ReturnType<typeof readLine>;

/** What a person called it, else what the model did, else its first prompt. */
function titleIn(lines: readonly Read[]): string | undefined {
  const named = (type: string, key: string): string | undefined =>
    lines.flatMap((line) => (line.type === type ? (textIn(line.record, key) ?? []) : [])).at(-1);
  const prompt = lines.map(promptOf).find((words) => words !== undefined);
  const title =
    named('custom-title', 'customTitle') ?? named('ai-title', 'aiTitle') ?? named('summary', 'summary') ?? prompt;
  return title === undefined ? undefined : brief(title);
}

function promptOf({ entry }: Read): string | undefined {
  if (!entry || entry.type !== 'user' || stepOf(entry)?.trigger !== 'input') return undefined;
  const words = wordsOf(entry).trim();
  // Commands of the program and what they print are wrapped in tags.
  return words === '' || /^<(?:command|local-command|bash)-/.test(words) ? undefined : words;
}

/** `agent-<id>.meta.json`: the kind of the sub-agent, what it is for, and the call that began it. */
function noteOf(path: string): { readonly [Key in 'kind' | 'words' | 'call']?: string | undefined } {
  const note = path.replace(/\.jsonl$/, '.meta.json');
  try {
    if (statSync(note).size > MOST_NOTE) return {};
    const fields = recordOf(fromJsonText(readFileSync(note, 'utf8')));
    const [kind, what] = ['agentType', 'description'].map((key) => textIn(fields, key));
    const words = [kind, what].filter((word) => word !== undefined).join(': ');
    return { kind, words: words === '' ? undefined : brief(words), call: textIn(fields, 'toolUseId') };
  } catch {
    return {};
  }
}

function recordIn({ bytes }: Line): Read[] {
  try {
    return [readLine(bytes)];
  } catch {
    return [];
  }
}

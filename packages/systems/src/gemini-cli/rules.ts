import { accessSync, constants } from 'node:fs';
import type { Capability } from '@checkpoint-inspector/core';
import type { LogRules } from '../log/index.ts';
import { chatExtras, describeChat, isChat, isChatFolder, legacyCodec } from './files.ts';
import { ChatOutline } from './outline.ts';
import { planChat, refusedFor } from './plan.ts';
import { ChatReplay } from './replay.ts';

export const NO_DELETE =
  'A checkpoint here is a place in a log, and everything after it needs the lines before. Restore an earlier one, or delete the session in Gemini CLI (`gemini --delete-session`).';

const NO_FORK = 'A fork is a new file, and only this one is open. Open its folder to fork.';

/** @param only the one file to show, by its name in the folder */
export function chatRules(root: string, only?: string): LogRules {
  const can: Capability = isWritable(root) || "This user doesn't have permission to write to the folder.";
  return {
    system: 'gemini-cli',
    info: {
      latestRule: 'the last record of the session, with rewinds and snapshots applied',
      retention: 'Gemini CLI deletes old sessions by its own settings.',
      volatilePaths: ['$.startTime', '$.lastUpdated'],
      capabilities: { restore: can, fork: only === undefined ? can : NO_FORK, edit: can, delete: NO_DELETE },
      notes: ["Files that tools changed aren't part of a session: going back leaves them as they are."],
    },
    derived: 'from the records of the session up to here, as Gemini CLI loads them',
    accepts: (name) => (only === undefined ? isChat(name) : name === only),
    enters: only === undefined ? isChatFolder : () => false,
    codec: legacyCodec,
    describe: describeChat,
    outline: (settle, _file, { session }) => new ChatOutline(settle, session),
    replay: () => new ChatReplay(),
    extras: chatExtras,
    capability: refusedFor,
    plan: planChat,
  };
}

function isWritable(root: string): boolean {
  try {
    accessSync(root, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

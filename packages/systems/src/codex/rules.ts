import type { Beside } from '@checkpoint-inspector/core';
import { textIn } from '../folder/view.ts';
import type { FoundMark, Line, LogRules } from '../log/index.ts';
import { codexExtras, describeRollout, zstd } from './facts.ts';
import { hasRollouts, rolloutName } from './names.ts';
import { codexOutline } from './outline.ts';
import { asksPerson, isCall, kindOf, payloadIn, readArguments } from './records.ts';
import { capabilityOf, planCodex } from './plan.ts';
import { CodexGrowth, CodexReplay } from './replay.ts';

export const codexRules: LogRules = {
  system: 'codex',
  info: {
    latestRule: 'the last turn or call of the newest file of the thread',
    retention: 'Keeps everything.',
    sharing: 'Checkpoints are lines of one file, and a fork shares the lines of the thread that it was made from.',
    volatilePaths: ['$.turn.turn_id', '$.turn.root_turn_id'],
    capabilities: { restore: true, fork: true, edit: true, delete: true },
  },
  derived:
    'the items that the model sees after this line, the context of the turn and the tokens so far, as stored in the rollout',
  accepts: (name) => rolloutName(name) !== undefined,
  enters: hasRollouts,
  codec: (name) => (name.endsWith('.zst') ? zstd : undefined),
  describe: describeRollout,
  outline: codexOutline,
  replay: () => new CodexReplay(),
  growth: () => new CodexGrowth(),
  extras: codexExtras,
  beside: besideOf,
  capability: capabilityOf,
  plan: planCodex,
};

/** A call that a person has to agree to, and that has no answer, waits. */
function besideOf({ mark }: FoundMark, lines: readonly Line[]): Beside | undefined {
  const { error } = mark;
  if (error !== undefined) return { error, errors: [{ text: error }], own: true, requests: [] };
  if (mark.status !== 'interrupted') return { requests: [] };
  const requests = lines.flatMap((line) => {
    const call = isCall(kindOf(line)?.of) ? payloadIn(line.bytes) : undefined;
    const id = call && textIn(call, 'call_id');
    if (!call || id !== mark.id || !asksPerson(call)) return [];
    const why = readArguments(call)['justification'];
    const words = [typeof why === 'string' ? why : '', textIn(call, 'arguments') ?? ''].filter((text) => text !== '');
    return [{ id, from: textIn(call, 'name') ?? 'call', text: words.join('\n') }];
  });
  return { requests };
}

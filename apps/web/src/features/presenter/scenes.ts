import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { showMessage, showToast } from '../../components/index.ts';
import { api } from '../../lib/api.ts';
import { LAST_SCENE, present, useScene } from '../../lib/presenting.ts';
import { statusQuery } from '../../lib/queries.ts';
import { changing, refresh } from '../../lib/refresh.ts';

/** The demo's story as data: what is said, where it is seen, which keys do it, and the numbers that must be there. */

interface SceneKey {
  readonly keys: readonly string[];
  readonly does: string;
}

export interface Scene {
  readonly title: string;
  /** One or two sentences for somebody who has never seen an agent. */
  readonly say: string;
  readonly to: string;
  /** What the presenter presses, in order. */
  readonly keys: readonly SceneKey[];
  /** For the presenter and for tests, not for the audience. */
  readonly expect: readonly string[];
  readonly also?: { readonly label: string; readonly to: string };
}

const TASK = '/t/research-db/competitor-revenue';
const at = (id: string): string => encodeURIComponent(`research-db/competitor-revenue/${id}`);
const FIGURE = encodeURIComponent('$.context.revenue.CompanyB');
const CACHE = encodeURIComponent('$.context.cache');

export const SCENES: readonly Scene[] = [
  {
    title: 'Something is wrong',
    say: 'Agents worked through the night and some of them failed, for three reasons. One agent ranks three companies by revenue, and its ranking contradicts its own summary.',
    to: '/errors',
    keys: [],
    expect: ['3 different errors', 'competitor-revenue: ranking inconsistent with the summary'],
  },
  {
    title: 'What changed?',
    say: "After this step the figures are wrong. One line explains it: company B's revenue went from 4.2 to 4200.",
    to: `${TASK}?cp=ckpt-07&base=ckpt-06&view=changes&path=${FIGURE}`,
    keys: [{ keys: ['n'], does: 'next change' }],
    expect: ['+2 −1 ~3 ↕1', '$.context.revenue.CompanyB 4.2 → 4200'],
  },
  {
    title: 'Who did that?',
    say: 'The same step wrote this number twice: first live, in billions, then from an old cache, in millions. Nobody noticed the unit.',
    to: `${TASK}?cp=ckpt-07&base=ckpt-06&view=changes&path=${FIGURE}`,
    keys: [{ keys: ['h'], does: 'history of this value' }],
    expect: ['3 rows', '#03 set to 4.2', '#07 changed to 4200', '#09 moved'],
  },
  {
    title: 'Fix it without losing anything',
    say: 'We go back to the last good step, switch the cache off, and let the agent carry on from there. Everything it did before is kept.',
    to: `${TASK}?cp=ckpt-06&view=state&path=${CACHE}`,
    keys: [{ keys: ['i'], does: 'edit, cache: false, fork' }],
    expect: [
      'the preview shows 1 change',
      '4 new steps on the new lane',
      'both lanes meet at #06',
      'the ranking differs in 2 rows',
    ],
    also: { label: 'Compare both ends', to: `/compare?a=${at('ckpt-10')}&b=${at('fix-10')}` },
  },
  {
    title: 'Make it real',
    say: 'Meanwhile the old run has tried again and failed, so the agent would resume from there. We make the corrected run the latest, see the proof, and can undo it.',
    to: `${TASK}?cp=fix-10&view=changes`,
    keys: [
      { keys: ['r'], does: 'restore' },
      { keys: ['Ctrl', '↵'], does: 'confirm' },
      { keys: ['z'], does: 'undo' },
      { keys: ['Z'], does: 'redo' },
    ],
    expect: [
      'latest before: #11 compile',
      'nothing is evicted: #01 to #10 are all kept',
      'the task resumes from compile',
    ],
  },
  {
    title: 'Keep it tidy',
    say: 'Old checkpoints take up space. The plan says exactly which ones go and which stay, and why. Nothing is gone for good.',
    to: '/storage',
    keys: [
      { keys: ['Tab'], does: 'to Tidy up code-migration' },
      { keys: ['Ctrl', '↵'], does: 'confirm' },
      { keys: ['z'], does: 'undo' },
    ],
    expect: [
      'older than 30 days: 41 go, 6 stay, 1 unreadable is skipped',
      'deep-worker: its store keeps 10, so a restore evicts #03',
    ],
    also: { label: 'A store that is full', to: '/t/snapshots-db/deep-worker?cp=worker-08' },
  },
  {
    title: 'Show the boss, ask the robot',
    say: 'The whole story fits into one file that opens without a network. Another agent can ask the same question, and gets the same answer.',
    to: '/demo/ask',
    keys: [{ keys: ['y', 'e'], does: 'export' }],
    expect: ['the report contains no secrets', 'the answer names #07: 4.2 → 4200'],
    also: { label: 'Open the task', to: TASK },
  },
];

/** The agents are told before a scene is shown. */
export function showScene(wanted: number, visit: (address: string) => void): void {
  const scene = SCENES[wanted - 1];
  if (scene === undefined) return;
  present(wanted);
  // The proof of the scene before says nothing of this one.
  showMessage(undefined);
  // Without the agents the story can still be told.
  void api
    .demoScene(wanted)
    .catch((error: Error) => showToast({ title: error.message }))
    .then(() => visit(scene.to));
}

/** What a presenter does. */
export function useStage() {
  const number = useScene();
  const router = useRouter();
  const demo = useQuery(statusQuery()).data?.demo ?? false;
  const visit = (address: string): void => router.history.push(address);
  const reset = useReset(() => visit(number === undefined ? '/demo' : '/tasks'));
  const go = (wanted: number): void => showScene(wanted, visit);
  const end = (): void => {
    present(undefined);
    visit('/demo');
  };
  return {
    demo,
    number,
    scene: number === undefined ? undefined : SCENES[number - 1],
    go,
    visit,
    next: () => (number === LAST_SCENE ? end() : go((number ?? 0) + 1)),
    back: () => go((number ?? 1) - 1),
    end,
    reset: () => reset.mutate(),
    resetting: reset.isPending,
  };
}

function useReset(leave: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => resetDemo(client, leave),
    onSuccess: () => showToast({ title: 'The demo is as it was at the start, to the byte.' }),
    onError: (error: Error) => showToast({ title: error.message }),
  });
}

/** @throws InspectorError where the server doesn't reset it */
export async function resetDemo(client: QueryClient, leave: () => void): Promise<void> {
  // First: a page about what is taken away would ask for it.
  leave();
  await changing(client, api.demoReset);
  client.removeQueries({ type: 'inactive' });
  await refresh(client);
}

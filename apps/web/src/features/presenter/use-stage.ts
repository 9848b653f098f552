import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { showToast } from '../../components/index.ts';
import { api } from '../../lib/api.ts';
import { LAST_SCENE, present, useScene } from '../../lib/presenting.ts';
import { statusQuery } from '../../lib/queries.ts';
import { SCENES, type Scene } from './scenes.ts';

export interface Stage {
  /** This server shows the demo. */
  readonly demo: boolean;
  readonly number: number | undefined;
  readonly scene: Scene | undefined;
  /** Goes to a scene; the agents are told before it is shown. */
  readonly go: (scene: number) => void;
  readonly visit: (address: string) => void;
  readonly next: () => void;
  readonly back: () => void;
  readonly end: () => void;
  readonly reset: () => void;
  readonly resetting: boolean;
}

/** What a presenter does. */
export function useStage(): Stage {
  const number = useScene();
  const router = useRouter();
  const demo = useQuery(statusQuery()).data?.demo ?? false;
  const visit = (address: string): void => router.history.push(address);
  const reset = useReset(() => visit(number === undefined ? '/demo' : '/tasks'));
  const go = (wanted: number): void => {
    const scene = SCENES[wanted - 1];
    if (scene === undefined) return;
    present(wanted);
    // Without the agents the story can still be told.
    void api
      .demoScene(wanted)
      .catch((error: Error) => showToast({ title: error.message }))
      .then(() => visit(scene.to));
  };
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

function useReset(onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.demoReset(),
    onSuccess: async () => {
      onDone();
      await client.resetQueries();
      showToast({ title: 'The demo is as it was at the start, to the byte.' });
    },
    onError: (error: Error) => showToast({ title: error.message }),
  });
}

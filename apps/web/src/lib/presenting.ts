/** Which scene of the demo is shown to an audience. Kept for this tab; the page is drawn larger as long as it is on. */
import { createSignal, keepStored, readStored } from './signal.ts';

const KEY = 'checkpoint-inspector.scene';
export const FIRST_SCENE = 1;
export const LAST_SCENE = 7;
/** How much larger everything is. The style sheet of the presenter has the same number. */
const PRESENTER_ZOOM = 1.35;

/** @example sceneOf('3') // 3; sceneOf('x') // undefined */
export function sceneOf(text: string | null): number | undefined {
  const scene = Number(text ?? '');
  return Number.isInteger(scene) && scene >= FIRST_SCENE && scene <= LAST_SCENE ? scene : undefined;
}

/** `?present=3` on any address begins at that scene. */
function atStart(): number | undefined {
  const asked = new URLSearchParams(location.search).get('present');
  return sceneOf(asked) ?? sceneOf(readStored(KEY, () => sessionStorage));
}

const scene = createSignal(globalThis.location === undefined ? undefined : atStart());
mark();

/** Shows this scene; `undefined` ends the presentation. */
export function present(next: number | undefined): void {
  keepStored(KEY, next?.toString(), () => sessionStorage);
  scene.set(next);
  mark();
}

/** For the style sheets. */
function mark(): void {
  if (globalThis.document === undefined) return;
  document.documentElement.toggleAttribute('data-presenter', scene.get() !== undefined);
}

/** The scene that is shown; absent: nobody presents. */
export const useScene = scene.use;

export const usePresenting = (): boolean => useScene() !== undefined;

/** A media query as it counts for a page that is drawn larger. @example widened('(max-width: 799px)') // '(max-width: 1079px)' */
export const widened = (query: string): string =>
  query.replaceAll(/(\d+)px/g, (_, px: string) => `${Math.round(Number(px) * PRESENTER_ZOOM)}px`);

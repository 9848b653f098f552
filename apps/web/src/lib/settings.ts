/** What the reader has chosen. Kept in this browser only; a broken value falls back to the default. */
import * as z from 'zod/mini';
import { createSignal, keepStored, readStored } from './signal.ts';

const KEY = 'checkpoint-inspector.settings';

const schema = z.object({
  /** Keys of one character, and sequences such as `g t`. */
  keys: z.catch(z.boolean(), true),
  /** Another key for an act, by the key it has in the sheet. */
  remap: z.catch(z.record(z.string(), z.string()), {}),
  density: z.catch(z.enum(['normal', 'compact']), 'normal'),
  times: z.catch(z.enum(['utc', 'local']), 'utc'),
  /** Paths that a diff leaves out besides the store's own, by system. */
  ignore: z.catch(z.record(z.string(), z.array(z.string())), {}),
  /** False: secrets are shown from the start. */
  masked: z.catch(z.boolean(), true),
});

export type Settings = z.infer<typeof schema>;

export const DEFAULT_SETTINGS: Settings = {
  keys: true,
  remap: {},
  density: 'normal',
  times: 'utc',
  ignore: {},
  masked: true,
};

/** @example parseSettings('{"density":"compact"}').density // 'compact' */
export function parseSettings(text: string | null): Settings {
  try {
    const parsed = schema.safeParse({ ...DEFAULT_SETTINGS, ...(JSON.parse(text ?? '{}') as object) });
    return parsed.success ? parsed.data : DEFAULT_SETTINGS;
  } catch {
    return DEFAULT_SETTINGS;
  }
}

const current = createSignal(parseSettings(readStored(KEY)));

export const settings = current.get;
export const useSettings = current.use;

export function changeSettings(part: Partial<Settings>): void {
  const next = { ...settings(), ...part };
  keepStored(KEY, JSON.stringify(next));
  applyDensity(next);
  current.set(next);
}

/** For the style sheet; `theme.js` does the same before the first paint. */
function applyDensity({ density }: Settings): void {
  const { dataset } = document.documentElement;
  if (density === 'normal') delete dataset['density'];
  else dataset['density'] = density;
}

/** Height of a row of one or two lines in px, as the tokens have it. */
export function useRowHeight(lines: 1 | 2): number {
  const compact = useSettings().density === 'compact';
  if (lines === 1) return compact ? 24 : 28;
  return compact ? 40 : 44;
}

/**
 * The ignore rules of a diff: those of the address, else the store's own and the reader's for its system.
 * Absent where only the store's own count: the server knows them.
 */
export function rulesFor(
  asked: readonly string[] | undefined,
  info: { readonly system: string; readonly volatilePaths: readonly string[] } | undefined,
  ignore: Settings['ignore'],
): readonly string[] | undefined {
  if (asked !== undefined || info === undefined) return asked;
  const own = Object.hasOwn(ignore, info.system) ? (ignore[info.system] ?? []) : [];
  return own.length === 0 ? undefined : [...new Set([...info.volatilePaths, ...own])];
}

export type Theme = 'system' | 'light' | 'dark';

export const THEMES: readonly (readonly [theme: Theme, label: string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** Also read by `theme.js` before the first paint. */
const THEME_KEY = 'checkpoint-inspector.theme';
const themed = createSignal(0);

function readTheme(): Theme {
  const theme = document.documentElement.dataset['theme'];
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  keepStored(THEME_KEY, theme === 'system' ? undefined : theme);
  themed.set(themed.get() + 1);
}

export function useTheme(): Theme {
  themed.use();
  return readTheme();
}

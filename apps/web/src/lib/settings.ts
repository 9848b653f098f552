/** What the reader has chosen. Kept in this browser only; a broken value falls back to the default. */
import { compact } from '@checkpoint-inspector/core';
import { aFlag, aText, fields, listOf, mapOf, oneOf, parseOrUndefined } from './read.ts';
import { createSignal, keepStored, readStored } from './signal.ts';

const KEY = 'checkpoint-inspector.settings';

export interface Settings {
  /** Keys of one character, and sequences such as `g t`. */
  readonly keys: boolean;
  /** Another key for an act, by the key it has in the sheet. */
  readonly remap: Record<string, string>;
  readonly density: 'normal' | 'compact';
  readonly times: 'utc' | 'local';
  /** Paths that a diff leaves out besides the store's own, by system. */
  readonly ignore: Record<string, string[]>;
  /** False: secrets are shown from the start. */
  readonly masked: boolean;
}

const stored = fields({
  keys: aFlag,
  remap: mapOf(aText),
  density: oneOf('normal', 'compact'),
  times: oneOf('utc', 'local'),
  ignore: mapOf(listOf(aText)),
  masked: aFlag,
});

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
  return { ...DEFAULT_SETTINGS, ...compact(stored(parseOrUndefined(text ?? '{}'))) };
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
  ['system', 'System'],
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

/**
 * Keys of one character and sequences of two ("g t"). Off while typing and while a dialog or menu is open.
 * Maps name keys as the sheet does; the settings may put another key in their place, or switch them off.
 */
import { useEffect, useRef } from 'react';
import { settings } from './settings.ts';

export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const SEQUENCE_MS = 2000;
const TYPING = 'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"]';
const BLOCKING = '[role="dialog"], [role="menu"]';
/** Space and Enter press these. */
const PRESSED = 'button, summary, a, input, [role="checkbox"], [role="switch"], [role="tab"]';
/** Not made of a character: they stay when keys of one character are off. */
const NAMED = /^(?:Ctrl\+|Arrow|Home$|End$|Page|Enter$|Escape$|F\d)/;

const maps = new Set<{ current: KeyMap }>();
let first: { key: string; at: number } | undefined;

/** What the key is called in a KeyMap: `j`, `J`, `Space`, `ArrowUp`, `Ctrl+k`. With Alt it belongs to the browser. */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>): string | undefined {
  if (event.altKey) return undefined;
  const key = event.key === ' ' ? 'Space' : event.key;
  return event.ctrlKey || event.metaKey ? `Ctrl+${key.toLowerCase()}` : key;
}

function isBusy(target: EventTarget | null, name: string): boolean {
  if (target instanceof Element && target.closest(TYPING) !== null) return true;
  const presses = name === 'Space' || name === 'Enter';
  if (presses && target instanceof Element && target.closest(PRESSED) !== null) return true;
  return document.querySelector(BLOCKING) !== null;
}

/** The key of the sheet that a pressed one stands for; absent where it has been put elsewhere. */
export function standsFor(pressed: string, remap: Readonly<Record<string, string>>): string | undefined {
  const [own] = Object.entries(remap).find(([, key]) => key === pressed) ?? [];
  if (own !== undefined) return own;
  return Object.hasOwn(remap, pressed) ? undefined : pressed;
}

/** The handler of the newest map that has one. */
function handlerOf(pressed: string): ((event: KeyboardEvent) => void) | undefined {
  const name = standsFor(pressed, settings().remap);
  if (name === undefined) return undefined;
  return [...maps].toReversed().find((map) => Object.hasOwn(map.current, name))?.current[name];
}

function startsSequence(name: string): boolean {
  const { remap } = settings();
  return registeredKeys().some((key) => (remap[key] ?? key).startsWith(`${name} `));
}

function onKeyDown(event: KeyboardEvent): void {
  const name = keyName(event);
  if (name === undefined || event.defaultPrevented || isBusy(event.target, name)) return;
  if (!settings().keys && !NAMED.test(name)) return;
  const prefix = first !== undefined && event.timeStamp - first.at < SEQUENCE_MS ? `${first.key} ` : '';
  first = undefined;
  const handler = handlerOf(prefix + name);
  if (handler !== undefined) {
    event.preventDefault();
    handler(event);
    return;
  }
  if (startsSequence(name)) first = { key: name, at: event.timeStamp };
}

/** Every key that does something on the page as it is now. */
export const registeredKeys = (): string[] => [...new Set([...maps].flatMap((map) => Object.keys(map.current)))];

/** Handles keys for as long as the component is shown. @example useKeys({ j: next, 'g t': toTasks }) */
export function useKeys(map: KeyMap): void {
  const latest = useRef(map);
  latest.current = map;
  useEffect(() => {
    if (maps.size === 0) window.addEventListener('keydown', onKeyDown);
    maps.add(latest);
    return () => {
      maps.delete(latest);
      if (maps.size === 0) window.removeEventListener('keydown', onKeyDown);
    };
  }, []);
}

/** Keys of one character and sequences of two ("g t"). Off while typing and while a dialog or menu is open. */
import { useEffect, useRef } from 'react';

export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const SEQUENCE_MS = 1200;
const TYPING = 'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"]';
const BLOCKING = '[role="dialog"], [role="menu"]';

const maps = new Set<{ current: KeyMap }>();
let first: { key: string; at: number } | undefined;

/** What the key is called in a KeyMap: `j`, `J`, `ArrowUp`, `Ctrl+k`. With Alt it belongs to the browser. */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>): string | undefined {
  if (event.altKey) return undefined;
  return event.ctrlKey || event.metaKey ? `Ctrl+${event.key.toLowerCase()}` : event.key;
}

function isBusy(target: EventTarget | null): boolean {
  if (target instanceof Element && target.closest(TYPING) !== null) return true;
  return document.querySelector(BLOCKING) !== null;
}

/** The handler of the newest map that has one. */
function handlerOf(name: string): ((event: KeyboardEvent) => void) | undefined {
  return [...maps].toReversed().find((map) => name in map.current)?.current[name];
}

const startsSequence = (name: string): boolean =>
  [...maps].some((map) => Object.keys(map.current).some((key) => key.startsWith(`${name} `)));

function onKeyDown(event: KeyboardEvent): void {
  const name = keyName(event);
  if (name === undefined || event.defaultPrevented || isBusy(event.target)) return;
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

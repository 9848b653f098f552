/** Lists that are shown again at every change, until somebody ends them. */
import { setTimeout as pause } from 'node:timers/promises';
import { InspectorError } from '@checkpoint-inspector/core';
import { printable, type Output } from './output.ts';
import { terminalOf } from './terminal.ts';
import type { Run } from './workspace.ts';

export const WATCH_OPTION = [
  '--watch',
  'show it again at every change, until Ctrl-C; with --json and --jsonl: only lines that are new or have changed',
] as const;

/** An agent may save many times a second. */
const SETTLE_MS = 200;

interface Frame {
  readonly lines: readonly string[];
  readonly notes: readonly string[];
}

/** Shows a list once, or with `--watch` until SIGINT, SIGTERM or the end of who reads it. @throws what `show` throws at first */
export async function watched<O extends { readonly watch?: boolean }>(
  run: Run,
  options: O,
  show: (run: Run, options: O) => Promise<void>,
): Promise<void> {
  if (!options.watch) return show(run, options);
  const drawn = (): Promise<Frame> => drawnFrame(run, (at) => show(at, options));
  const first = await drawn();
  const screen = run.output.json || !process.stdout.isTTY ? appending(run.output) : fullScreen();
  const bell = createBell();
  const end = new AbortController();
  const stop = (): void => {
    end.abort();
    bell.ring();
  };
  const unwatch = run.workspace.stores.onEvent(bell.ring);
  const release = whileWatching({ stop, redraw: bell.ring, leave: screen.leave });
  try {
    screen.enter();
    screen.draw(first);
    while (await isRung(bell, end.signal)) {
      const frame = await Promise.race([drawn().catch(failedFrame), ended(end.signal)]);
      if (frame) screen.draw(frame);
    }
  } finally {
    screen.leave();
    release();
    unwatch();
  }
}

interface Bell {
  readonly ring: () => void;
  /** At once where it rang since the last time. */
  rung(): Promise<void>;
}

function createBell(): Bell {
  let hasRung = false;
  let wake: () => void = () => undefined;
  return {
    ring: () => {
      hasRung = true;
      wake();
    },
    rung: async () => {
      if (!hasRung) await new Promise<void>((resolve) => (wake = resolve));
      hasRung = false;
    },
  };
}

/** False once it is to end. */
async function isRung(bell: Bell, signal: AbortSignal): Promise<boolean> {
  await bell.rung();
  await pause(SETTLE_MS, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function drawnFrame(run: Run, show: (run: Run) => Promise<void>): Promise<Frame> {
  const lines: string[] = [];
  const notes: string[] = [];
  const output: Output = {
    ...run.output,
    // Its width may have changed.
    terminal: terminalOf(process.stdout, process.env),
    line: (text) => void lines.push(...text.split('\n')),
    note: (text) => void notes.push(text),
  };
  await show({ ...run, output });
  return { lines, notes };
}

/** A store that can't be read now may be readable after the next change. */
function failedFrame(thrown: unknown): Frame {
  const { message, remedy } = InspectorError.from(thrown);
  return { lines: [], notes: [printable(`${message} ${remedy}`)] };
}

interface Screen {
  enter(): void;
  draw(frame: Frame): void;
  leave(): void;
}

/** For programs and files: of JSON only lines that the last frame did not have, of text each frame that differs. */
function appending(output: Output): Screen {
  let before: Frame = { lines: [], notes: [] };
  return {
    enter: () => undefined,
    leave: () => undefined,
    draw: (frame) => {
      const known = new Set(before.lines);
      const told = new Set(before.notes);
      for (const note of frame.notes) if (!told.has(note)) output.note(note);
      const isSame = frame.lines.join('\n') === before.lines.join('\n');
      if (output.json) for (const line of frame.lines) if (!known.has(line)) output.line(line);
      if (!output.json && !isSame) for (const line of [...frame.lines, '']) output.line(line);
      before = frame;
    },
  };
}

/** The other screen of the terminal, without cursor and without lines that go on below. */
const ENTER = '\u001B[?1049h\u001B[?25l\u001B[?7l';
const LEAVE = '\u001B[?7h\u001B[?25h\u001B[?1049l';
const HOME = '\u001B[H';
const REST_OF_LINE = '\u001B[K';
const REST_OF_SCREEN = '\u001B[J';

function fullScreen(): Screen {
  const { stdout } = process;
  let isOn = false;
  return {
    enter: () => {
      isOn = true;
      stdout.write(ENTER);
    },
    draw: ({ lines, notes }) => {
      const all = [...lines, ...notes];
      const fit = Math.max(1, stdout.rows - 1);
      const left = all.length - fit;
      const shown = left > 0 ? all.slice(0, fit - 1) : all;
      const foot = left > 0 ? [`… ${(left + 1).toLocaleString('en')} more lines`] : [];
      const text = [...shown, ...foot, 'Watching. Ctrl-C ends.'].map((line) => line + REST_OF_LINE).join('\n');
      stdout.write(HOME + text + REST_OF_SCREEN);
    },
    leave: () => {
      if (isOn) stdout.write(LEAVE);
      isOn = false;
    },
  };
}

interface Handlers {
  readonly stop: () => void;
  readonly redraw: () => void;
  readonly leave: () => void;
}

/** A second Ctrl-C ends the process at once, as without us; what is left of the terminal then is put right. */
function whileWatching({ stop, redraw, leave }: Handlers): () => void {
  // Watchers alone don't keep a process.
  const alive = setInterval(() => undefined, 2 ** 30);
  process.once('SIGINT', stop).once('SIGTERM', stop).once('exit', leave);
  process.stdout.on('resize', redraw).once('error', stop);
  return () => {
    clearInterval(alive);
    process.off('SIGINT', stop).off('SIGTERM', stop).off('exit', leave);
    process.stdout.off('resize', redraw).off('error', stop);
  };
}

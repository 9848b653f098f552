/** States: the lines before a mark, replayed. */
import { InspectorError, type CallOptions } from '@checkpoint-inspector/core';
import { fileStamp, MAX_FILE_BYTES } from '@checkpoint-inspector/io';
import type { Line, LogOptions, LogRules, Mark, Replay, Slice } from './contract.ts';
import type { LogBytes } from './lines.ts';

/** A larger state isn't kept for the next one. */
const KEPT_CHARACTERS = 32 * 1024 * 1024;
/** On the way to a mark so many copies are left behind, and no more than this are kept. */
const COPIES = 16;
const MOST_COPIES = 64;

/** What was replayed of a chain, up to a byte of its last slice. */
interface Stage {
  readonly replay: Replay;
  readonly read: number;
}

/** Replays logs. Where the next mark is near what was replayed before, it continues there: forwards and backwards. */
export class Replays {
  readonly #bytes: LogBytes;
  readonly #rules: LogRules;
  readonly #max: number;
  /** The chain that was replayed last, in words that differ as soon as anything of it does. */
  #key = '';
  /** A chain has more characters than `most` from a byte of its last slice on: that isn't read again to refuse it. */
  #tooLong: { readonly key: string; readonly most: number; readonly end: number } | undefined;
  /** By what they have read; each is taken out while it is continued. */
  #stages: Stage[] = [];

  constructor(bytes: LogBytes, rules: LogRules, options: LogOptions) {
    this.#bytes = bytes;
    this.#rules = rules;
    this.#max = options.maxState ?? MAX_FILE_BYTES;
  }

  /** @throws InspectorError too_large | unreadable */
  async text(mark: Mark, chain: readonly Slice[], options: CallOptions = {}): Promise<string> {
    const { signal, mostCharacters = this.#max } = options;
    const last = chain.at(-1);
    const key = keyOf(chain);
    const most = Math.min(mostCharacters, this.#max);
    const known = this.#tooLong;
    if (known?.key === key && most <= known.most && known.end <= (last?.end ?? 0)) throw tooLarge(most);
    const stage = this.#takeStage(key, last?.end ?? 0);
    const replay = stage?.replay ?? this.#rules.replay();
    const tell = (line: Line, end = 0): void => {
      replay.line(line);
      if (replay.size <= most) return;
      this.#tooLong = { key, most, end };
      throw tooLarge(most);
    };
    for (const { file, start, end } of stage ? [] : chain.slice(0, -1)) {
      await this.#bytes.lines(file, start, end, (line) => tell(line), signal);
    }
    const copies: Stage[] = [];
    if (last) {
      const from = stage?.read ?? last.start;
      const step = (last.end - from) / COPIES;
      let next = from + step;
      const tellAndCopy = (line: Line): void => {
        tell(line, line.end);
        if (line.end < next || line.end >= last.end) return;
        next = line.end + step;
        const copy = replay.size > KEPT_CHARACTERS ? undefined : replay.copy?.();
        if (copy) copies.push({ replay: copy, read: line.end });
      };
      await this.#bytes.lines(last.file, from, last.end, tellAndCopy, signal);
      copies.push({ replay, read: last.end });
    }
    const text = replay.text(mark);
    if (replay.size <= KEPT_CHARACTERS) this.#keep(key, copies, last?.end ?? 0);
    return text;
  }

  /** The furthest one that isn't behind the mark. Whoever comes meanwhile takes another, or starts again. */
  #takeStage(key: string, end: number): Stage | undefined {
    if (this.#key !== key) return undefined;
    const at = this.#stages.findLastIndex(({ read }) => read <= end);
    const [stage] = at === -1 ? [] : this.#stages.splice(at, 1);
    const copy = stage?.replay.copy?.();
    // What is continued moves on; backwards, where it was is needed again.
    if (stage && copy) this.#stages.splice(at, 0, { replay: copy, read: stage.read });
    return stage;
  }

  #keep(key: string, copies: readonly Stage[], end: number): void {
    if (this.#key !== key) this.#stages = [];
    this.#key = key;
    const known = new Set(this.#stages.map(({ read }) => read));
    this.#stages.push(...copies.filter(({ read }) => !known.has(read)));
    this.#stages.sort((a, b) => a.read - b.read);
    while (this.#stages.length > MOST_COPIES) {
      // Backwards nobody comes back to what is behind, forwards not to what is before.
      if ((this.#stages.at(-1)?.read ?? 0) > end) this.#stages.pop();
      else this.#stages.shift();
    }
  }

  /** For a log that was written again under its old name. */
  forget(): void {
    this.#tooLong = undefined;
    this.#stages = [];
  }
}

const tooLarge = (most: number): InspectorError =>
  new InspectorError('too_large', `The state has more than ${most} characters.`, {
    remedy: 'Choose an earlier checkpoint, or look at the raw lines.',
  });

/** Words for a chain that differ as soon as anything of it does, but for how far its last slice goes. */
export function keyOf(chain: readonly Slice[]): string {
  const last = chain.at(-1);
  const before = chain.slice(0, -1).map(({ file, start, end }) => `${fileStamp(file.entry)}\0${start}\0${end}`);
  return JSON.stringify([last?.file.name, String(last?.file.entry.ino), last?.start, ...before]);
}

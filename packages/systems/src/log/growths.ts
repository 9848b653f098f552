/** What differs between two states of a log, by the lines between them. */
import type { GrownStates } from '@checkpoint-inspector/core';
import type { Growth, Line, LogRules, Slice } from './contract.ts';
import { keyOf } from './replays.ts';
import type { LogBytes } from './lines.ts';

/** So many bytes are read at most to get from what is kept to a line. */
const STEP_BYTES = 1_000_000;
const MOST_KEPT = 1_000;
/** What is new may have so many bytes of lines: it is kept, and compared in the thread that answers others. */
const MOST_NEW = 8_000_000;

/** What was told of a slice, up to a byte. */
interface Stage {
  readonly growth: Growth;
  readonly read: number;
}

/** Follows logs without keeping their states. */
export class Growths {
  readonly #bytes: LogBytes;
  readonly #rules: LogRules;
  /** The chain that was read last. */
  #key = '';
  /** By what they have read. */
  #stages: Stage[] = [];

  constructor(bytes: LogBytes, rules: LogRules) {
    this.#bytes = bytes;
    this.#rules = rules;
  }

  /**
   * @param chain what the later state is read from
   * @param earlier the beginning of it that the earlier state is read from
   * @returns undefined where the states have to be read
   */
  async between(
    earlier: readonly Slice[],
    chain: readonly Slice[],
    signal?: AbortSignal,
  ): Promise<GrownStates | undefined> {
    const last = earlier.at(-1);
    if (!last || !this.#rules.growth || !isBeginning(earlier, chain)) return undefined;
    const [at, ...rest] = chain.slice(earlier.length - 1);
    const fresh = rest.reduce((sum, { start, end }) => sum + end - start, (at?.end ?? 0) - last.end);
    if (fresh > MOST_NEW) return undefined;
    const growth = await this.#upTo(earlier, last, signal);
    growth.begin();
    const tell = growth.line.bind(growth);
    if (at) await this.#bytes.lines(at.file, last.end, at.end, tell, signal);
    for (const { file, start, end } of rest) await this.#bytes.lines(file, start, end, tell, signal);
    return growth.grown();
  }

  /** For a log that was written again under its old name. */
  forget(): void {
    this.#stages = [];
  }

  /** What comes before the earlier state ends. */
  async #upTo(chain: readonly Slice[], { file, start, end }: Slice, signal?: AbortSignal): Promise<Growth> {
    const key = keyOf(chain);
    if (this.#key !== key) this.#stages = [];
    this.#key = key;
    const stages = this.#stages;
    const stage = stages.findLast(({ read }) => read <= end);
    const growth = stage?.growth.copy() ?? this.#rules.growth?.();
    if (!growth) throw new TypeError('These logs have no growth.');
    for (const slice of stage ? [] : chain.slice(0, -1)) {
      await this.#bytes.lines(slice.file, slice.start, slice.end, (line) => growth.line(line), signal);
    }
    const from = stage?.read ?? start;
    const found: Stage[] = [];
    const tell = (line: Line): void => {
      growth.line(line);
      if (line.end >= (found.at(-1)?.read ?? from) + STEP_BYTES) found.push({ growth: growth.copy(), read: line.end });
    };
    await this.#bytes.lines(file, from, end, tell, signal);
    if (this.#stages === stages) this.#stages = keptOf([...stages, ...found]);
    return growth;
  }
}

/** Each place once, and where there are very many, every second one. */
function keptOf(stages: readonly Stage[]): Stage[] {
  const sorted = [...new Map(stages.map((stage) => [stage.read, stage])).values()].toSorted((a, b) => a.read - b.read);
  return sorted.length > MOST_KEPT ? sorted.filter((_stage, at) => at % 2 === 0) : sorted;
}

function isBeginning(earlier: readonly Slice[], chain: readonly Slice[]): boolean {
  return earlier.every(({ file, start, end }, at) => {
    const same = chain[at];
    if (!same || same.file.path !== file.path || same.start !== start) return false;
    return at === earlier.length - 1 ? end <= same.end : end === same.end;
  });
}

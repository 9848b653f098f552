import { fold, trigramQuery } from '../cache/fold.ts';
import type { OpenTask, Search, Pace } from './search.ts';
import type { Looker, Spot } from './look.ts';
import { lastKey, type Matcher } from './matcher.ts';
import { KIND, type TextRow } from '../cache/texts.ts';
import type { Candidate, Candidates } from '../cache/types.ts';

interface Tools {
  readonly matcher: Matcher;
  readonly looker: Looker;
  readonly pace: Pace;
}

/** Texts searched in one statement: by the index, and one by one where a word is too short for it. */
const WINDOW = 32_768;
const ROWS = 200;
const SCANNED_ROWS = 2_000;
const SPANS = 1_000;
const MOST_PATHS = 20_000;

/** Values and keys that hold what is looked for. */
export async function findPlaces(search: Search, tools: Tools): Promise<Candidates> {
  const finder = new PlaceFinder(search, tools);
  const finished = await finder.run();
  const items = finder.candidates();
  if (finished) return { items };
  return { items, cut: tools.pace.isOver ? 'time' : 'count' };
}

/** The loops answer false once the search has to stop. */
class PlaceFinder {
  readonly #search: Search;
  readonly #tools: Tools;
  readonly #found = new Map<string, { spot: Spot; rank: number; task: OpenTask }>();
  readonly #paths = new Map<number, string>();
  readonly #statements;

  constructor(search: Search, tools: Tools) {
    this.#search = search;
    this.#tools = tools;
    this.#statements = prepare(search, tools.matcher.driver.text);
  }

  /** A key is left out where its value was found as well. */
  candidates(): Candidate[] {
    const { looker } = this.#tools;
    const found = [...this.#found.values()];
    const valued = new Set(found.filter(({ spot }) => spot.value > 0).map(({ spot }) => `${spot.task} ${spot.path}`));
    return found
      .filter(({ spot }) => spot.value > 0 || !valued.has(`${spot.task} ${spot.path}`))
      .map(({ spot, rank, task }) => ({ ...task, rank, order: spot.value, look: () => looker.look(spot, task.task) }));
  }

  async run(): Promise<boolean> {
    for (const [from, to] of windows(this.#statements.count())) {
      for (let last: number | undefined = from; last !== undefined;) {
        const { rows, next } = this.#statements.texts(last, to);
        for (const row of rows) if (!(await this.#meet(row))) return false;
        if (!(await this.#tools.pace.turn())) return false;
        last = next;
      }
    }
    return true;
  }

  async #meet(row: TextRow): Promise<boolean> {
    const { side, text } = this.#tools.matcher.driver;
    if (!fold(row.text).includes(text)) return true;
    if (row.kind !== KIND.path) return side === 'path' || this.#meetValue(row);
    return side === 'value' || this.#meetPath(row);
  }

  /** A value: wherever it is. */
  async #meetValue(row: TextRow): Promise<boolean> {
    let after = { task: 0, path: 0 };
    for (;;) {
      const places = this.#statements.places(row.id, after);
      for (const { task, path } of places) if (!this.#consider({ value: row.id, task, path }, row)) return false;
      const last = places.at(-1);
      if (last === undefined || places.length < SPANS) return true;
      after = last;
      if (!(await this.#tools.pace.turn())) return false;
    }
  }

  /** A key: the path itself where that is all that was asked for, else the values that stood there. */
  async #meetPath(row: TextRow): Promise<boolean> {
    const { matcher } = this.#tools;
    if (matcher.matches({ path: row.text, kind: KIND.path })) {
      const isOwnKey = fold(lastKey(row.text)).includes(matcher.driver.text) || row.text === '$';
      return !isOwnKey || this.#meetKey(row);
    }
    let after = { task: 0, first: 0, value: 0 };
    for (;;) {
      const spans = this.#statements.values(row.id, after);
      for (const { task, value } of spans) {
        if (!this.#search.tasks.has(task) || this.#found.has(`${value} ${task} ${row.id}`)) continue;
        const text = this.#search.texts.get(value);
        if (text && !this.#consider({ value, task, path: row.id }, text)) return false;
      }
      const last = spans.at(-1);
      if (last === undefined || spans.length < SPANS) return true;
      after = last;
      if (!(await this.#tools.pace.turn())) return false;
    }
  }

  async #meetKey(row: TextRow): Promise<boolean> {
    for (let task = this.#statements.taskWith(row.id, 0); task; task = this.#statements.taskWith(row.id, task)) {
      if (!this.#consider({ value: 0, task, path: row.id }, undefined)) return false;
      if (!(await this.#tools.pace.turn())) return false;
    }
    return true;
  }

  /** False once there is no room for more, or no time. */
  #consider(spot: Spot, value: TextRow | undefined): boolean {
    const { matcher, looker } = this.#tools;
    const task = this.#search.tasks.get(spot.task);
    const key = `${spot.value} ${spot.task} ${spot.path}`;
    if (task === undefined || this.#found.has(key)) return true;
    const place = {
      path: this.#path(spot.path),
      kind: value?.kind ?? KIND.path,
      ...(value ? { text: value.text } : {}),
    };
    if (!matcher.matches(place) || !looker.isAlive(spot)) return true;
    if (this.#found.size >= this.#search.options.most || this.#tools.pace.isOver) return false;
    this.#found.set(key, { spot, rank: matcher.rank(place), task });
    return true;
  }

  #path(id: number): string {
    const known = this.#paths.get(id);
    if (known !== undefined) return known;
    if (this.#paths.size >= MOST_PATHS) this.#paths.clear();
    const text = this.#search.texts.get(id)?.text ?? '';
    this.#paths.set(id, text);
    return text;
  }
}

type Place = Pick<Spot, 'task' | 'path'>;
interface SpanPlace {
  readonly task: number;
  readonly first: number;
  readonly value: number;
}

function prepare({ db }: Search, driver: string) {
  const trigrams = trigramQuery(driver);
  const count = db.prepare<{ id: number | null }>('SELECT max(id) AS id FROM texts');
  const matched = db.prepare<TextRow>(
    `SELECT t.id, t.kind, t.text FROM words w CROSS JOIN texts t ON t.id = w.rowid
     WHERE words MATCH ? AND w.rowid > ? AND w.rowid <= ? ORDER BY w.rowid LIMIT ${ROWS}`,
  );
  const scanned = db.prepare<TextRow>(
    `SELECT id, kind, text FROM texts WHERE id > ? AND id <= ? ORDER BY id LIMIT ${SCANNED_ROWS}`,
  );
  const places = db.prepare<Place>(
    `SELECT DISTINCT task, path FROM spans WHERE value = ? AND (task, path) > (?, ?) ORDER BY task, path LIMIT ${SPANS}`,
  );
  const values = db.prepare<SpanPlace>(
    `SELECT task, first, value FROM spans WHERE path = ? AND value > 0 AND (task, first, value) > (?, ?, ?)
     ORDER BY task, first, value LIMIT ${SPANS}`,
  );
  const taskWith = db.prepare<{ task: number | null }>(
    'SELECT min(task) AS task FROM spans WHERE path = ? AND task > ?',
  );
  return {
    count: () => count.get()?.id ?? 0,
    texts: (after: number, to: number): { rows: TextRow[]; next: number | undefined } => {
      const rows = trigrams === undefined ? scanned.all(after, to) : matched.all(trigrams, after, to);
      const isFull = rows.length === (trigrams === undefined ? SCANNED_ROWS : ROWS);
      return { rows, next: isFull ? rows.at(-1)?.id : undefined };
    },
    places: (value: number, after: Place) => places.all(value, after.task, after.path),
    values: (path: number, after: SpanPlace) => values.all(path, after.task, after.first, after.value),
    taskWith: (path: number, after: number) => taskWith.get(path, after)?.task ?? undefined,
  };
}

/** Young texts lie at both ends: what a live agent adds at the last, what was read first at the first. */
function* windows(count: number): Generator<readonly [from: number, to: number]> {
  let low = 0;
  let high = count;
  for (let fromEnd = true; low < high; fromEnd = !fromEnd) {
    const size = Math.min(WINDOW, high - low);
    if (fromEnd) {
      high -= size;
      yield [high, high + size];
    } else {
      low += size;
      yield [low - size, low];
    }
  }
}

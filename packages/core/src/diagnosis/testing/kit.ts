import type { Path } from '../../json/path.ts';
import { at, copyOf, drop, Exact, grouped, isNumber, like, num, place, textOf, type Json, type Obj } from './json.ts';
import { rngOf, type Rng } from './rng.ts';
import type { Style } from './style.ts';
import { entryPath, fieldOf, idsOf, spotPath, valueOf, type Collection, type Kin, type Spot } from './world.ts';

/** A value written in one step, as a place where a fault can be planted. */
export interface Site extends Spot {
  readonly step: number;
  /** The how-manieth write of its step. */
  readonly nth: number;
  readonly before: Json | undefined;
  readonly value: Json;
  /** A tool's answer in this step tells the value. */
  readonly told: boolean;
  /** Written together with its entry. */
  readonly fresh: boolean;
}

/** A fault: what one step does instead of, or besides, its work. Both give the paths of the harm. */
export interface Planting {
  readonly step: number;
  /** It harms a value at its first writing. */
  readonly fresh?: boolean;
  readonly write?: { readonly nth: number; readonly act: (state: Obj, path: Path, value: Json) => readonly Path[] };
  /** What the tool's answer says instead of the value. */
  readonly lie?: (value: Json) => Json;
  readonly end?: (state: Obj) => readonly Path[];
}

/** What the steps of a domain write with. It keeps the state, the tools' answers, and where a fault could go. */
export class Kit implements Kin {
  state: Obj = {};
  step = 0;
  readonly style: Style;
  readonly sites: Site[] = [];
  culprits: readonly Path[] = [];
  /** Ids that the step is about. */
  about: string[] = [];
  /** What the step draws from: the same on all branches until they diverge. */
  branch = 'main';
  /** Entries that somebody asked to leave alone. */
  readonly held = new Set<string>();
  readonly #added = new Map<string, number>();
  #told: { id: string; noun: string; field: string; value: Json }[] = [];
  #nth = 0;
  readonly #planting: Planting | undefined;

  constructor(style: Style, planting?: Planting) {
    this.style = style;
    this.#planting = planting;
  }

  get dates(): Style['dates'] {
    return this.style.dates;
  }

  begin(step: number): void {
    this.step = step;
    this.#nth = 0;
    this.#told = [];
    this.about = [];
  }

  /** A stream of this step. */
  rng(name: string): Rng {
    return rngOf(this.style.seed, this.branch, this.step, name);
  }

  ids(of: Collection): readonly string[] {
    return idsOf(this.state, of);
  }

  /** How many entries were added so far, whatever became of them. */
  added(of: Collection): number {
    return this.#added.get(of.noun) ?? 0;
  }

  get(of: Collection, id: string, field?: string): Json | undefined {
    return valueOf(this.state, field === undefined ? { of, id } : { of, id, field });
  }

  /** Adds the nth entry of a collection with all that is known of it at first. */
  add(of: Collection, nth: number): void {
    const id = of.label(nth, rngOf(this.style.seed, of.noun, nth));
    this.#added.set(of.noun, nth + 1);
    if (entryPath(this.state, of, id)) return;
    this.about.push(id);
    if (of.scalar) {
      this.derive([...of.path, id], null);
      this.#write({ of, id }, [...of.path, id], of.scalar.make(this.#source(of, id, ''), nth, this), true);
      return;
    }
    const all = at(this.state, of.path);
    const path = Array.isArray(all) ? [...of.path, all.length] : [...of.path, id];
    place(this.state, path, of.id === undefined ? {} : { [of.id]: id });
    for (const [field, { make, later }] of Object.entries(of.fields)) {
      if (later === true) continue;
      const value = make(this.#source(of, id, field), nth, this);
      this.#write({ of, id, field }, [...path, field], this.#outlier({ of, id, field }, value), true);
    }
  }

  set(of: Collection, id: string, field: string | undefined, value: Json): void {
    if (this.held.has(`${of.noun} ${id}`)) return;
    const spot = field === undefined ? { of, id } : { of, id, field };
    if (!this.about.includes(id)) this.about.push(id);
    const path = spotPath(this.state, spot);
    if (path) this.#write(spot, path, value, false);
  }

  /** A value that is made from others; the objects above it come with it. */
  derive(path: Path, value: Json): void {
    for (let depth = 1; depth < path.length; depth++) {
      if (at(this.state, path.slice(0, depth)) === undefined) place(this.state, path.slice(0, depth), {});
    }
    place(this.state, path, value);
  }

  remove(path: Path): void {
    drop(this.state, path);
  }

  say(role: string, text: string): void {
    const { list, role: who, text: what, parts } = this.style.talk;
    if (at(this.state, [list]) === undefined) this.state[list] = [];
    const all = at(this.state, [list]);
    if (!Array.isArray(all)) return;
    all.push({ [who]: role, [what]: parts ? [{ type: 'text', text }] : text });
    if (this.style.window > 0 && all.length > this.style.window) all.splice(0, all.length - this.style.window);
  }

  /** What the step's tools answered goes into the state, and the fault that waits for the step's end is done. */
  finish(): void {
    if (this.#planting?.step === this.step && this.#planting.end) {
      this.culprits = [...this.culprits, ...this.#planting.end(this.state)];
    }
    this.#answer();
  }

  /** Now and then a value is far from the others and right: the tool tells it so. */
  #outlier(spot: Spot, value: Json): Json {
    if (!isNumber(value) || !this.#isTold(spot)) return value;
    const rng = this.#source(spot.of, spot.id, `outlier ${spot.field}`);
    return rng.chance(0.015) ? like(value, num(value) * rng.pick([25, 60, 120])) : value;
  }

  #source(of: Collection, id: string, field: string): Rng {
    return rngOf(this.style.seed, 'value', of.noun, id, field);
  }

  #write(spot: Spot, path: Path, value: Json, fresh: boolean): void {
    const told = this.#isTold(spot);
    const before = fresh ? undefined : copyOf(at(this.state, path) ?? null);
    const nth = this.#nth++;
    this.sites.push({ ...spot, step: this.step, nth, before, value: copyOf(value), told, fresh });
    const planting = this.#planting?.step === this.step ? this.#planting : undefined;
    const hit = planting?.write?.nth === nth ? planting : undefined;
    if (told) {
      const said = hit?.lie ? hit.lie(value) : value;
      this.#told.push({ id: spot.id, noun: spot.of.noun, field: spot.field ?? 'value', value: copyOf(said) });
    }
    if (!hit?.write) place(this.state, path, copyOf(value));
    else this.culprits = [...this.culprits, ...hit.write.act(this.state, path, copyOf(value))];
  }

  #isTold(spot: Spot): boolean {
    if (this.style.evidence === 'none' || fieldOf(spot)?.quiet === true) return false;
    return this.style.tells(spot.of.noun, spot.field ?? 'value');
  }

  #answer(): void {
    const { evidence, names } = this.style;
    const byId = grouped(this.#told, ({ id, noun }) => `${noun} ${id}`);
    if (evidence === 'rows') {
      const rows = [...byId.values()].map((all) => {
        const id = all[0]?.id ?? '';
        return { ref: id, ...Object.fromEntries(all.map(({ field, value }) => [field, value])) };
      });
      if (rows.length > 0) this.state[names.answer] = { tool: this.rng('tool').pick(TOOLS), rows };
      return;
    }
    const lines = [...byId.values()].map((all) => this.#line(all[0]?.id ?? '', all));
    if (lines.length === 0) return;
    if (evidence === 'lines') this.say('tool', lines.join('\n'));
    else for (const line of lines.slice(0, 40)) this.say('tool', line);
  }

  #line(id: string, all: readonly { field: string; value: Json }[]): string {
    const facts = all.map(({ field, value }) => `${field.replaceAll('_', ' ')} ${this.shown(value)}`);
    return `${id}: ${facts.join(', ')}`;
  }

  /** A value as people and tools write it in a text. */
  shown(value: Json): string {
    if (typeof value === 'string') return value;
    if (!isNumber(value) || !this.style.thousands) return textOf(value);
    const [whole = '', decimals] = (value instanceof Exact ? value.text : String(num(value))).split('.');
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
    return decimals === undefined ? grouped : `${grouped}.${decimals}`;
  }
}

const TOOLS = ['read', 'lookup', 'fetch', 'query', 'get_records', 'scan'];

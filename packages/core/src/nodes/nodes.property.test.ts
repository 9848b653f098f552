import { describe, expect, it } from 'vitest';
import { type Rng, rngOf } from '../testing/rng.ts';
import { nodesOf, refsIn, share, type SharedState, sharedOf, valuesOf } from './index.ts';
import { anyValue, changed } from './testing/grown.ts';
import { hash, Rows } from './testing/rows.ts';

const RUNS = 200;
const STEPS = 5;
/** Each with the state that it grew out of, which is sometimes an older one. */
async function eachStep(run: number, visit: (value: unknown, rng: Rng) => Promise<void> | void): Promise<void> {
  const rng = rngOf('nodes', run);
  const values = [{ state: anyValue(rng), seed: run }];
  for (let at = 0; at < STEPS; at++) {
    const value = values.at(rng.chance(0.8) ? -1 : rng.int(0, values.length - 1)) ?? { state: 0, seed: run };
    await visit(value, rng);
    values.push({ ...value, state: changed(rng, rng.chance(0.5) ? changed(rng, value.state) : value.state) });
  }
}

const runs = (work: (run: number) => Promise<void>) => async (): Promise<void> => {
  for (let run = 0; run < RUNS; run++) {
    await work(run).catch((cause: unknown) => {
      throw new Error(`Run ${run}.`, { cause });
    });
  }
};

describe('a state that is cut into nodes', () => {
  it(
    'leaves as the text that JSON.stringify writes, whatever it has in common with others',
    runs(async (run) => {
      const rows = new Rows();
      let before: SharedState | undefined;
      await eachStep(run, (value) => {
        const text = JSON.stringify(value);
        before = rows.save(value, before, run % 2 === 0);
        expect(rows.text(before)).toBe(text);
        expect(before.bytes).toBe(Buffer.byteLength(text));
      });
    }),
  );
  it(
    'has the hash of its contents, however it came about',
    runs(async (run) => {
      const rows = new Rows();
      let before: SharedState | undefined;
      await eachStep(run, (value) => {
        before = rows.save(value, before);
        expect(before.node.hash).toBe(share(value, { hash }).state.node.hash);
        expect(share(valuesOf(JSON.stringify(value)), { hash }).state.node.hash).toBe(before.node.hash);
      });
    }),
  );
  it(
    'is the same in memory when it is read again',
    runs(async (run) => {
      const rows = new Rows();
      let before: SharedState | undefined;
      await eachStep(run, async (value) => {
        before = rows.save(value, before);
        before = sharedOf(rows.nodes, before.node.id);
        expect(share(value, { hash, before }).fresh).toEqual([]);
      });
    }),
  );
  it(
    'is made of all the nodes that can be reached from its root, and of no others',
    runs(async (run) => {
      const rows = new Rows();
      let before: SharedState | undefined;
      await eachStep(run, (value) => {
        before = rows.save(run % 2 === 0 ? value : valuesOf(JSON.stringify(value)), before, run % 3 === 0);
        const reached = new Set<number>();
        for (let wanted = [before.node.id]; wanted.length > 0;) {
          for (const id of wanted) reached.add(id);
          wanted = [...rows.find(wanted).values()].flatMap(({ body }) => refsIn(body).filter((id) => !reached.has(id)));
        }
        expect([...nodesOf(before)].toSorted()).toEqual([...reached].toSorted());
      });
    }),
  );
  it(
    'is what was saved, though the agent changes its object in place',
    runs(async (run) => {
      const rows = new Rows();
      const saved: [SharedState, string][] = [];
      let agent: unknown;
      await eachStep(run, (value) => {
        agent = isSame(agent) ? Object.assign(agent, value) : value;
        saved.push([rows.save(agent, saved.at(-1)?.[0]), JSON.stringify(agent)]);
      });
      for (const [state, text] of saved) expect(rows.text(state)).toBe(text);
    }),
  );
  it('keeps the source of what JavaScript would write otherwise', async () => {
    const tokens = ['1.0', '-0', '1E5', '12345678901234567890', 'NaN', '-Infinity', '"\\u00e9"', '"\\/"', '"a"', '7'];
    const strings = ['\\n\\"\\\\', '\\\\u00e9', '\\u00e9', '\\/', '\\u000a', '\\u001f1;', 'é😀\u2028\u007f', '\\ud800'];
    // Short ones are in the body of what they are in, long ones are a node.
    tokens.push(...strings.flatMap((text) => [`"${text}"`, `"${text}${'long '.repeat(500)}"`]));
    const objects = ['{"a":1,"a":2}', '{"\\u0061":1}', '{"2":0,"1":[1.0]}', '{"__proto__":{"a":1}}'];
    for (let run = 0; run < RUNS; run++) {
      const rng = rngOf('tokens', run);
      const items = Array.from({ length: rng.int(0, 90) }, () => rng.pick(rng.chance(0.2) ? objects : tokens));
      const text = `{"2":[${items.join(',')}],"1":{}}`;
      const rows = new Rows();
      const state = rows.save(valuesOf(text));
      expect(rows.text(state)).toBe(text);
      const before = sharedOf(rows.nodes, state.node.id);
      expect(share(valuesOf(text), { hash, before }).fresh).toEqual([]);
    }
  });
});

const isSame = (value: unknown): value is object => typeof value === 'object' && value !== null;

import {
  advance,
  anew,
  entriesOf,
  load,
  ranked,
  refresh,
  rounded,
  tally,
  total,
  update,
  type Domain,
} from '../acts.ts';
import { at, isNumber, num } from '../json.ts';
import { choice, code, date, refTo, text, whole } from '../makers.ts';
import type { Collection } from '../world.ts';

const datasets: Collection = {
  noun: 'dataset',
  path: ['data', 'sets'],
  label: (nth) => ['train.v3', 'dev', 'noisy "web"', 'test-2026', 'extra'][nth] ?? `set ${nth}`,
  count: 4,
  fields: {
    rows: whole(2_000, 900_000),
    digest: code('sha:', 10),
    made: date(1, 80),
    licence: choice(['CC-BY', 'MIT', 'own']),
  },
};

const trials: Collection = {
  noun: 'trial',
  path: ['sweep', 'trials'],
  id: 'uid',
  label: (nth) => `t${String(nth).padStart(2, '0')}-${(nth * 7_919).toString(36)}`,
  count: 11,
  fields: {
    lr: { make: (rng) => rng.pick([0.0001, 0.0003, 0.001, 0.003]) },
    batch: { make: (rng) => rng.pick([16, 32, 64, 128]) },
    optimiser: choice(['adam', 'sgd', 'lion']),
    data: refTo(datasets),
    loss: { make: (rng) => rounded(1.2 + rng.next() * 1.6, 4) },
    accuracy: { make: (rng) => rounded(0.3 + rng.next() * 0.3, 4) },
    epochs: whole(1, 4),
    comment: text(['Stable', 'Warm start', 'With dropout'], ['so far', 'as planned', 'on one card']),
    state: choice(['queued'], { quiet: true }),
    peak_gb: { make: (rng) => rounded(6 + rng.next() * 30, 1), later: true },
  },
};

const seeds: Collection = {
  noun: 'seed',
  path: ['sweep', 'seeds'],
  label: (nth) => String.fromCharCode(945 + nth),
  count: 5,
  fields: {},
  scalar: whole(1_000, 99_999),
};

const onward = (old: unknown, by: number): number => (typeof old === 'number' ? old + by : by);

export const experiments: Domain = {
  name: 'experiments',
  set: 'held-out',
  goal: 'Run the sweep and pick the best configuration.',
  collections: [trials, datasets, seeds],
  start: (rng) => ({
    space: {
      max_epochs: 40,
      patience: 4,
      warmup_steps: rng.int(2, 9) * 100,
      metric: 'accuracy',
      dropout: 0.1,
      mixed: true,
    },
    data: { root: 's3://bucket/x', sets: {} },
    sweep: { trials: [], seeds: {} },
  }),
  constants: [['space']],
  acts: [
    load(datasets, 'open datasets', 4, 4),
    load(seeds, 'load seeds', 2, 5),
    load(trials, 'collect trials', 6, 4),
    refresh(trials, 'loss', 'train an epoch', 3, (old, rng) =>
      isNumber(old) ? rounded(num(old) * (0.9 + rng.next() * 0.09), 4) : undefined,
    ),
    refresh(trials, 'accuracy', 'evaluate', 2.5, (old, rng) =>
      isNumber(old) ? rounded(Math.min(0.99, num(old) + rng.next() * 0.03), 4) : undefined,
    ),
    update(
      trials,
      { epochs: (old, rng) => onward(old, rng.int(1, 3)), peak_gb: anew(trials, 'peak_gb') },
      'resume',
      2.5,
    ),
    advance(trials, 'state', 'schedule', 2.5, ['queued', 'running', 'done']),
    update(trials, { lr: anew(trials, 'lr'), batch: anew(trials, 'batch') }, 'mutate', 1),
    update(datasets, { rows: (old, rng) => onward(old, rng.int(5, 500)) }, 'append rows', 1),
    update(trials, { comment: anew(trials, 'comment') }, 'comment on', 1),
  ],
  sums: [
    {
      name: 'leaderboard',
      run(kit) {
        kit.derive(
          ['leaderboard'],
          ranked(kit, trials, 'accuracy', 5).map((uid, nth) => ({
            place: nth + 1,
            uid,
            accuracy: kit.get(trials, uid, 'accuracy') ?? null,
          })),
        );
        kit.derive(['budget', 'epochs used'], total(kit, trials, 'epochs'));
        kit.derive(['budget', 'states'], tally(kit, trials, 'state'));
      },
    },
    {
      name: 'summarise the sweep',
      run(kit) {
        const low = entriesOf(kit, trials).reduce((least, { entry }) => Math.min(least, num(at(entry, ['loss']))), 99);
        kit.derive(['findings', 'lowest loss'], low);
        kit.derive(
          ['findings', 'mean accuracy'],
          rounded(total(kit, trials, 'accuracy') / Math.max(1, kit.ids(trials).length), 4),
        );
        kit.derive(['findings', 'rows seen'], total(kit, datasets, 'rows'));
        kit.derive(['findings', 'optimisers'], tally(kit, trials, 'optimiser'));
      },
    },
  ],
};

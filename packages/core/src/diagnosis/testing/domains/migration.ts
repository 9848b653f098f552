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
import { at, num } from '../json.ts';
import { choice, code, date, flag, name, refTo, text, whole } from '../makers.ts';
import type { Collection } from '../world.ts';

const owners: Collection = {
  noun: 'owner',
  path: ['team'],
  id: 'login',
  label: (nth) => ['@ines', '@t.okoye', '@bo', '@юля', '@sam-w'][nth] ?? `@dev${nth}`,
  count: 4,
  fields: {
    name: name(['Ines', 'Tayo', 'Bo', 'Yulia'], ['R.', 'O.', 'L.']),
    capacity: whole(5, 40),
    zone: choice(['UTC+1', 'UTC', 'UTC-5']),
  },
};

const modules: Collection = {
  noun: 'module',
  path: ['modules'],
  label: (nth) => `src/${['app', 'core', 'lib/io', 'ui [old]'][nth % 4]}/m${nth}.ts`,
  count: 13,
  fields: {
    lines: whole(40, 1_800),
    imports: whole(1, 40),
    owner: refTo(owners),
    touched: date(10, 110),
    kind: choice(['class', 'function', 'script']),
    strict: flag(0.5),
    summary: text(
      ['Reads settings', 'Draws the list', 'Talks to the server'],
      ['and caches them', 'for the page', 'in one call'],
    ),
    passed: whole(3, 90),
    stage: choice(['todo'], { quiet: true }),
    commit: { ...code('', 7), later: true },
    errors: { make: () => 0, later: true },
  },
};

const versions: Collection = {
  noun: 'version',
  path: ['lockfile', 'pins'],
  label: (nth) => ['react', '@org/tools', 'vite', 'lodash.get', 'zod', 'left pad'][nth] ?? `dep-${nth}`,
  count: 6,
  fields: {},
  scalar: { make: (rng) => `${rng.int(1, 19)}.${rng.int(0, 12)}.${rng.int(0, 9)}` },
};

export const migration: Domain = {
  name: 'migration',
  set: 'held-out',
  goal: 'Move the code base to the new compiler, module by module.',
  collections: [modules, owners, versions],
  start: (rng) => ({
    target: { compiler: '6.1', strict: true, max_errors: rng.int(0, 5), branch: 'move/compiler', coverage_min: 0.85 },
    team: [],
    modules: {},
    lockfile: { version: 9, pins: {} },
  }),
  constants: [['target']],
  acts: [
    load(owners, 'read owners', 4, 4),
    load(versions, 'read the lock file', 3, 6),
    load(modules, 'list modules', 6, 5),
    refresh(modules, 'errors', 'compile all', 2, (_old, rng) => (rng.chance(0.5) ? 0 : rng.int(1, 30))),
    refresh(modules, 'passed', 'run all tests', 2, (old, rng) => Math.max(1, num(old) + rng.int(-1, 4))),
    refresh(
      versions,
      undefined,
      'bump dependencies',
      1,
      (old, rng) => `${String(old).split('.')[0]}.${rng.int(1, 20)}.${rng.int(0, 9)}`,
    ),
    advance(modules, 'stage', 'migrate', 3, ['todo', 'ported', 'reviewed', 'merged']),
    update(
      modules,
      {
        commit: (_old, rng) => rng.int(0x1000000, 0xfffffff).toString(16),
        lines: (old, rng) => Math.max(5, num(old) + rng.int(-40, 60)),
      },
      'rewrite',
      3,
    ),
    update(modules, { owner: anew(modules, 'owner') }, 'hand over', 1),
    update(owners, { capacity: (old, rng) => Math.max(0, num(old) - rng.int(1, 3)) }, 'plan the week', 1.5),
  ],
  sums: [
    {
      name: 'measure progress',
      run(kit) {
        kit.derive(['state of play', 'lines'], total(kit, modules, 'lines'));
        kit.derive(['state of play', 'stages'], tally(kit, modules, 'stage'));
        kit.derive(['state of play', 'errors left'], total(kit, modules, 'errors'));
        kit.derive(
          ['state of play', 'tests per module'],
          rounded(total(kit, modules, 'passed') / Math.max(1, kit.ids(modules).length), 2),
        );
      },
    },
    {
      name: 'write release notes',
      run(kit) {
        const loose = entriesOf(kit, modules).filter(({ entry }) => at(entry, ['strict']) !== true);
        kit.derive(
          ['release', 'not strict'],
          loose.map(({ id }) => id),
        );
        kit.derive(['release', 'largest'], ranked(kit, modules, 'lines', 3));
        kit.derive(['release', 'per owner'], tally(kit, modules, 'owner'));
        kit.derive(
          ['release', 'text'],
          `${kit.ids(modules).length} modules, ${total(kit, modules, 'lines')} lines, ${kit.ids(versions).length} pins.`,
        );
      },
    },
  ],
};

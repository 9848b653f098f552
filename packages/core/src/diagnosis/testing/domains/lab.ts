import {
  advance,
  drift,
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
import { at, Exact, num } from '../json.ts';
import { choice, code, date, name, real, refTo, text, whole } from '../makers.ts';
import type { Collection } from '../world.ts';

const devices: Collection = {
  noun: 'device',
  path: ['bench', 'devices'],
  label: (nth) => ['pH-meter #1', 'scale.A', 'ICP-MS', 'oven', 'μ-scope', 'HPLC'][nth] ?? `dev ${nth}`,
  count: 4,
  fields: { serial: code('SN', 6), checked: date(40, 100), state: choice(['ready', 'service']) },
};

const samples: Collection = {
  noun: 'sample',
  path: ['series', 'samples'],
  id: 'barcode',
  label: (nth) => `B26-${String(nth * 13 + 104).padStart(4, '0')}`,
  count: 14,
  fields: {
    taken: date(90, 120),
    site: choice(['river', 'well', 'tap', 'lake']),
    pH: real(6.1, 8.4, 2),
    'temp °C': real(4, 22, 1),
    'lead µg/l': real(0.2, 9, 3),
    volume_ml: whole(80, 500),
    device: refTo(devices),
    operator: name(['Dr.', 'Ms', 'Mr'], ['Ito', 'Berg', "D'Angelo"]),
    remark: text(['Clear', 'Slightly cloudy', 'Sealed'], ['on arrival', 'after shaking', 'with label']),
    verdict: { ...choice(['pass', 'pass', 'retest', 'fail']), later: true, quiet: true },
    corrected: { make: () => new Exact('0.000'), later: true },
  },
};

const channels: Collection = {
  noun: 'channel',
  path: ['calibration', 'slope'],
  label: (nth) => `ch.${nth + 1}`,
  count: 6,
  fields: {},
  scalar: real(0.96, 1.04, 4),
};

export const lab: Domain = {
  name: 'lab',
  set: 'held-out',
  goal: 'Measure the series and tell me which samples pass.',
  collections: [samples, devices, channels],
  start: (rng) => ({
    bench: { room: rng.int(100, 320), devices: {} },
    calibration: { standard: 'ISO 17294', slope: {} },
    protocol: { limit_lead: new Exact('5.000'), limit_ph_low: 6.5, limit_ph_high: 9, repeats: 3, blind: false },
    series: { name: 'spring', samples: [] },
  }),
  constants: [['protocol']],
  acts: [
    load(devices, 'list devices', 3, 4),
    load(channels, 'read calibration', 3, 6),
    load(samples, 'import samples', 6, 5),
    refresh(channels, undefined, 'calibrate', 1.5, drift(0.01)),
    refresh(
      samples,
      'corrected',
      'correct by slope',
      2,
      (_old, _rng, entry, kit) =>
        new Exact(
          (num(at(entry, ['lead µg/l'])) * (num(at(kit.state, ['calibration', 'slope', 'ch.1'])) || 1)).toFixed(3),
        ),
    ),
    refresh(samples, 'verdict', 'judge', 1.2, (_old, _rng, entry) =>
      num(at(entry, ['lead µg/l'])) > 8 ? 'fail' : num(at(entry, ['lead µg/l'])) > 7 ? 'retest' : 'pass',
    ),
    update(samples, { pH: drift(0.03), 'temp °C': drift(0.1) }, 'measure again', 3),
    update(samples, { volume_ml: (old, rng) => Math.max(1, num(old) - rng.int(5, 20)) }, 'draw from', 2.5),
    advance(devices, 'state', 'send for service', 0.5, ['ready', 'service']),
  ],
  sums: [
    {
      name: 'statistics',
      run(kit) {
        const { length } = kit.ids(samples);
        kit.derive(['statistics', 'mean pH'], rounded(total(kit, samples, 'pH') / Math.max(1, length), 3));
        kit.derive(['statistics', 'mean lead'], rounded(total(kit, samples, 'lead µg/l') / Math.max(1, length), 4));
        kit.derive(['statistics', 'by site'], tally(kit, samples, 'site'));
      },
    },
    {
      name: 'prepare the certificate',
      run(kit) {
        const passed = entriesOf(kit, samples).filter(({ entry }) => at(entry, ['verdict']) === 'pass');
        kit.derive(
          ['certificate', 'accepted'],
          passed.map(({ id }) => id),
        );
        kit.derive(['certificate', 'highest'], ranked(kit, samples, 'lead µg/l', 3));
        kit.derive(['certificate', 'left ml'], total(kit, samples, 'volume_ml'));
      },
    },
  ],
};

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

const pages: Collection = {
  noun: 'page',
  path: ['pages'],
  label: (nth) => `https://example.org/${['a', 'b/c', 'über', 'q?x=1', "it's"][nth % 5]}/${nth}`,
  count: 12,
  fields: {
    status: choice(['200', '200', '301', '404']),
    bytes: whole(900, 400_000),
    title: text(
      ['Annual figures', 'Method', 'About the survey', 'Appendix'],
      ['of the council', 'in short', 'part two'],
    ),
    seen: date(60, 120),
    depth: whole(1, 5),
    hash: code('#', 8),
    rank: { make: () => 0, later: true, quiet: true },
  },
};

const sources: Collection = {
  noun: 'source',
  path: ['bibliography', 'entries'],
  id: 'cite key',
  label: (nth) => `${['ito', 'müller', 'okafor', 'smith', 'diaz'][nth % 5]}${2_010 + nth}`,
  count: 9,
  fields: {
    authors: name(['Ito, K.', 'Müller, J.', 'Okafor, C.'], ['and others', '& Diaz', 'et al.']),
    year: whole(1_998, 2_025),
    cited: whole(3, 2_000),
    url: refTo(pages),
    quote: text(
      ['The effect is small', 'We found no change', 'Costs went down'],
      ['in most towns', 'over ten years', 'after the reform'],
    ),
    reviewed: flag(0.7),
  },
};

const claims: Collection = {
  noun: 'claim',
  path: ['argument', 'claims'],
  id: 'n',
  label: (nth) => `c${nth + 1}`,
  count: 8,
  fields: {
    text: text(['Rents rise', 'Traffic falls', 'Noise is lower'], ['after the change', 'in the centre', 'at night']),
    backed_by: refTo(sources),
    confidence: { make: (rng) => rounded(0.4 + rng.next() * 0.58, 2) },
    stance: choice(['for', 'against', 'open']),
    state: choice(['draft'], { quiet: true }),
  },
};

export const crawler: Domain = {
  name: 'crawler',
  set: 'held-out',
  goal: 'Find sources for and against, and write the argument with citations.',
  collections: [pages, sources, claims],
  start: (rng) => ({
    pages: {},
    policy: { max_depth: 5, delay_ms: rng.pick([250, 500, 1_000]), robots: true, agent: 'crawler/2.1', langs: 'en,de' },
    bibliography: { style: 'APA', entries: [] },
    argument: { question: 'Did the reform work?', claims: [] },
    frontier: [],
  }),
  constants: [['policy']],
  acts: [
    load(pages, 'fetch pages', 6, 5),
    load(sources, 'collect sources', 4, 4),
    load(claims, 'collect claims', 3, 3),
    refresh(pages, 'rank', 'rank pages', 1.5, (_old, _rng, entry) =>
      rounded(Math.log10(1 + num(at(entry, ['bytes']))) / Math.max(1, num(at(entry, ['depth']))), 3),
    ),
    refresh(sources, 'cited', 'update citation counts', 1.5, (old, rng) => num(old) + rng.int(0, 6)),
    update(
      pages,
      { bytes: anew(pages, 'bytes'), hash: anew(pages, 'hash'), seen: anew(pages, 'seen') },
      'fetch again',
      3,
    ),
    advance(claims, 'state', 'edit', 2.5, ['draft', 'checked', 'final']),
    update(claims, { confidence: anew(claims, 'confidence') }, 'weigh', 2.5),
    update(claims, { backed_by: anew(claims, 'backed_by') }, 'cite', 1.5),
    {
      name: 'follow links',
      weight: 1.5,
      run(kit) {
        const rng = kit.rng('links');
        const old = at(kit.state, ['frontier']);
        const more = Array.from({ length: rng.int(1, 4) }, () => `https://example.org/next/${rng.int(100, 999)}`);
        kit.derive(['frontier'], [...(Array.isArray(old) ? old.slice(rng.int(0, 2)) : []), ...more]);
        return true;
      },
    },
  ],
  sums: [
    {
      name: 'measure coverage',
      run(kit) {
        kit.derive(['coverage', 'bytes'], total(kit, pages, 'bytes'));
        kit.derive(['coverage', 'by status'], tally(kit, pages, 'status'));
        kit.derive(
          ['coverage', 'mean year'],
          rounded(total(kit, sources, 'year') / Math.max(1, kit.ids(sources).length), 1),
        );
      },
    },
    {
      name: 'write the outline',
      run(kit) {
        const strong = entriesOf(kit, claims).filter(({ entry }) => num(at(entry, ['confidence'])) >= 0.7);
        kit.derive(
          ['outline', 'strong'],
          strong.map(({ id }) => id),
        );
        kit.derive(['outline', 'most cited'], ranked(kit, sources, 'cited', 3));
        kit.derive(['outline', 'weight'], rounded(total(kit, claims, 'confidence'), 2));
        kit.derive(['outline', 'stances'], tally(kit, claims, 'stance'));
      },
    },
  ],
};

import { advance, anew, drift, load, ranked, refresh, rounded, tally, total, update, type Domain } from '../acts.ts';
import { isNumber, num } from '../json.ts';
import { choice, code, date, flag, name, real, refTo, text, whole } from '../makers.ts';
import type { Collection } from '../world.ts';

const accounts: Collection = {
  noun: 'account',
  path: ['crm', 'accounts'],
  id: 'key',
  label: (nth) => `acc/${nth + 301}`,
  count: 7,
  fields: {
    company: name(['Blue', 'North', 'Żabka', 'Solar', 'Old'], ['Bakery', 'Mills', 'Transit', 'Dental']),
    plan: choice(['basic', 'team', 'enterprise']),
    seats: whole(3, 400),
    mrr: real(20, 900, 2),
  },
};

const tickets: Collection = {
  noun: 'ticket',
  path: ['tickets'],
  label: (nth) => `T-${480 + nth}`,
  count: 13,
  fields: {
    subject: text(
      ['Login fails', 'Invoice is wrong', 'Export hangs', 'Cannot invite'],
      ['since Monday', 'for some users', 'on every try'],
    ),
    account: refTo(accounts),
    priority: choice(['normal', 'high', 'low', 'urgent']),
    queue: choice(['billing', 'product', 'accounts']),
    opened: date(80, 130),
    waiting_h: real(0.5, 90, 1),
    state: choice(['new'], { quiet: true }),
    minutes: whole(3, 60),
    vip: flag(0.15),
    reply: {
      ...text(
        ['Thank you for writing', 'We have found the cause', 'Please try again'],
        ['and will come back', 'with the new version', 'tomorrow'],
      ),
      later: true,
    },
    score: { ...whole(1, 5), later: true },
  },
};

const desk: Collection = {
  noun: 'agent',
  path: ['desk', 'load'],
  label: (nth) => ['maria', 'jo.b', 'Łukasz', 'kim', 'ravi'][nth] ?? `agent ${nth}`,
  count: 4,
  fields: {},
  scalar: whole(2, 18),
};

const longer = (old: unknown, by: number): number => (typeof old === 'number' ? Math.max(0, old + by) : by);

export const support: Domain = {
  name: 'support',
  set: 'tune',
  goal: 'Clear the queue, answer what you can and report to me.',
  collections: [tickets, accounts, desk],
  start: () => ({
    crm: { region: 'EU', accounts: [] },
    tickets: {},
    desk: { load: {} },
    sla: { urgent_h: 2, high_h: 8, normal_h: 24, low_h: 72, 'escalate.to': 'duty manager' },
  }),
  constants: [['sla']],
  acts: [
    load(accounts, 'load accounts', 4, 5),
    load(tickets, 'fetch tickets', 6, 5),
    load(desk, 'list the desk', 2, 5),
    refresh(tickets, 'waiting_h', 'update waiting times', 2, (old) =>
      isNumber(old) ? rounded(num(old) + 0.4, 1) : undefined,
    ),
    refresh(desk, undefined, 'update the desk', 1.5, (old, rng) => longer(old, rng.int(-3, 3))),
    advance(tickets, 'state', 'work on', 3, ['new', 'triaged', 'answered', 'closed']),
    update(tickets, { priority: anew(tickets, 'priority') }, 'triage', 2),
    update(
      tickets,
      { reply: anew(tickets, 'reply'), minutes: (old, rng) => longer(old, rng.int(3, 30)) },
      'reply to',
      3,
    ),
    update(tickets, { score: anew(tickets, 'score') }, 'record feedback', 1.5),
    update(accounts, { seats: anew(accounts, 'seats') }, 'sync seats', 1),
    update(accounts, { mrr: drift(0.2) }, 'sync billing', 0.7),
    update(tickets, { account: anew(tickets, 'account') }, 'reassign', 0.7),
    update(accounts, { company: (old) => old }, 'check names', 0.3),
    update(tickets, { opened: (old) => old, vip: (old) => old }, 'verify', 0.3),
    update(accounts, { plan: anew(accounts, 'plan') }, 'upgrade', 0.6),
  ],
  sums: [
    {
      name: 'count the queues',
      run(kit) {
        const { length } = kit.ids(tickets);
        kit.derive(['board', 'queues'], tally(kit, tickets, 'queue'));
        kit.derive(['board', 'states'], tally(kit, tickets, 'state'));
        kit.derive(['board', 'mean wait'], rounded(total(kit, tickets, 'waiting_h') / Math.max(1, length), 2));
        kit.derive(['board', 'worst'], ranked(kit, tickets, 'waiting_h', 3));
      },
    },
    {
      name: 'write the digest',
      run(kit) {
        const minutes = total(kit, tickets, 'minutes');
        kit.derive(['digest', 'effort_min'], minutes);
        kit.derive(['digest', 'revenue at stake'], rounded(total(kit, accounts, 'mrr'), 2));
        kit.derive(
          ['digest', 'text'],
          `${kit.ids(tickets).length} tickets, ${minutes} minutes, id ${String(code('D', 4).make(kit.rng('digest'), 0, kit))}.`,
        );
      },
    },
  ],
};

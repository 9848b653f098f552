import { expect, it } from 'vitest';
import { CallQueue } from './queue.ts';

interface Asked {
  readonly name: string;
  readonly background: boolean;
}

function setup() {
  let now = 1_000;
  const queue = new CallQueue<Asked>(() => now);
  return {
    queue,
    wait: (ms: number) => (now += ms),
    person: (name: string) => queue.push({ name, background: false }),
    work: (name: string) => queue.push({ name, background: true }),
    take: (): Asked => queue.take() ?? expect.fail('No call may be given now.'),
  };
}

it('gives what somebody waits for first, and background calls one at a time', () => {
  const { queue, person, work, take } = setup();
  for (const name of ['w1', 'w2', 'w3']) work(name);
  const running = take();
  expect(running.name).toBe('w1');
  expect(queue.take()).toBeUndefined();
  for (const name of ['p1', 'p2']) person(name);
  expect([take().name, take().name]).toEqual(['p1', 'p2']);
  expect(queue.isReady).toBe(false);
  queue.ended(running);
  expect(queue.length).toBe(2);
});

it('gives background calls at once while nobody asks', () => {
  const { queue, wait, work, take } = setup();
  for (let n = 0; n < 5; n++) work(`w${n}`);
  for (let n = 0; n < 5; n++) {
    const call = take();
    wait(20);
    queue.ended(call);
  }
  expect(queue.length).toBe(0);
});

it('lets background work rest while somebody asks and just after, nine times as long as its last call took', () => {
  const { queue, wait, person, work, take } = setup();
  for (const name of ['w1', 'w2', 'w3']) work(name);
  const first = take();
  person('p1');
  const asked = take();
  wait(5);
  queue.ended(first);
  expect(queue.restMs()).toBe(45);
  wait(44);
  expect(queue.take()).toBeUndefined();
  // It goes on though somebody asks all the time.
  wait(1);
  const second = take();
  expect(second.name).toBe('w2');
  queue.ended(second);
  expect(queue.restMs()).toBe(10);
  queue.ended(asked);
  expect(queue.isReady).toBe(false);
  wait(30);
  expect(take().name).toBe('w3');
});

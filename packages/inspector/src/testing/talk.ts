import { rngOf, type CaseStep, type RunCase } from '@checkpoint-inspector/core/testing';

const STEPS = 60;
const WORDS =
  'the agent looks up a price and writes what it found into the report before it asks for another one'.split(' ');

/** An agent asks for the price of one item after the other; its states grow to `size` characters. */
export function talkOf(size: number, seed = size): RunCase {
  const rng = rngOf('talk', seed);
  const messages: object[] = [];
  const items = Array.from({ length: 12 }, (_none, at) => ({ id: `item-${at}`, price: 10 + at, status: 'open' }));
  const steps = Array.from({ length: STEPS }, (_none, nth): CaseStep => {
    const [item, isLast] = [items[nth % items.length], nth === STEPS - 1];
    if (item) Object.assign(item, { price: item.price * (nth === STEPS - 6 ? 1_000 : 1) + 1, status: 'done' });
    for (let left = (size - 1_000) / STEPS; left > 0; left -= 300) {
      const said = Array.from({ length: 36 }, () => rng.pick(WORDS)).join(' ');
      messages.push({ type: rng.pick(['ai', 'tool']), id: `m-${messages.length}`, content: `${item?.id}: ${said}` });
    }
    const text = JSON.stringify({ step: nth, messages, items });
    const error = isLast ? { error: 'the total of the report does not match' } : {};
    const parent = nth === 0 ? {} : { parent: `cp-${nth - 1}` };
    return {
      id: `cp-${nth}`,
      ...parent,
      status: isLast ? 'failed' : 'completed',
      description: 'look up',
      text,
      ...error,
    };
  });
  return { seed, domain: 'talk', steps, head: `cp-${STEPS - 1}` };
}

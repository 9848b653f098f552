/** For tests: a state as long runs write it, the same at each run. */

const WORDS = ['revenue', 'market', 'report', 'agent', 'quarter', 'source', 'price', 'figure', 'table', 'note'];

/** Messages until the text has `bytes`; `{"goal":…,"messages":[…],"end":true}`. */
export function largeText(bytes: number, goal = 'Compare'): string {
  const messages: string[] = [];
  let length = 0;
  for (let n = 0; length < bytes; n++) {
    const words = Array.from({ length: 40 + (n % 160) }, (_, at) => WORDS[(at * 7 + n) % WORDS.length]).join(' ');
    const message = `{"id":"m-${n}","role":"${n % 2 === 0 ? 'user' : 'assistant'}","content":"${words}","tokens":${n % 977}}`;
    messages.push(message);
    length += message.length + 1;
  }
  return `{"goal":"${goal}","messages":[${messages.join(',')}],"end":true}`;
}

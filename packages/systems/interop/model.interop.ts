import { expect, it } from 'vitest';
import { scriptedModel } from './model.ts';

it('the scripted model says what it was told to, and keeps what it was asked', async () => {
  const model = await scriptedModel();
  model.say({ text: 'first' }, { calls: [{ name: 'look', arguments: { at: 1 } }] });
  const ask = async (path: string) => {
    const body = JSON.stringify({ model: 'mock-1', input: 'hi' });
    return (await fetch(`${model.url}${path}`, { method: 'POST', body })).json();
  };
  expect(await ask('/v1/responses')).toMatchObject({ output: [{ content: [{ text: 'first' }] }] });
  expect(await ask('/v1/chat/completions')).toMatchObject({
    choices: [{ message: { tool_calls: [{ function: { name: 'look', arguments: '{"at":1}' } }] } }],
  });
  expect(model.take().map(({ path }) => path)).toEqual(['/v1/responses', '/v1/chat/completions']);
  await model.close();
});

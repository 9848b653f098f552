/** A model that says what it was told to: on 127.0.0.1, in the forms of OpenAI's Responses and chat completions, and Gemini's. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the model says next: a text, or calls of tools. */
export type Answer =
  | { readonly text: string }
  | { readonly calls: readonly { readonly name: string; readonly arguments: unknown }[] }
  | { readonly status: number; readonly error: string };

export interface ScriptedModel {
  /** Without `/v1`. */
  readonly url: string;
  /** Said in this order; after the last one a text "ok". */
  readonly say: (...answers: readonly Answer[]) => void;
  /** Bodies that were sent, the oldest first; `take` empties the list. */
  readonly take: () => readonly ModelRequest[];
  readonly close: () => Promise<void>;
}

export interface ModelRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** @example const model = await scriptedModel(); model.say({ text: 'hello' }) */
export async function scriptedModel(): Promise<ScriptedModel> {
  const answers: Answer[] = [];
  const requests: ModelRequest[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    if (request.method === 'GET')
      return json(response, 200, { object: 'list', data: [{ id: 'mock-1', object: 'model' }] });
    const body = JSON.parse(await textOf(request)) as Record<string, unknown>;
    // What Gemini's programs ask beside the conversation isn't streamed: titles, counts of tokens.
    if (/:(?:generateContent|countTokens)/.test(path)) return json(response, 200, geminiAnswer({ text: 'ok' }, '0'));
    requests.push({ path, body });
    const next = answers.shift() ?? { text: 'ok' };
    if ('status' in next) return json(response, next.status, { error: { message: next.error, type: 'mock' } });
    const id = `${++count}`;
    if (path.includes('/responses')) return sayResponse(response, body, next, id);
    if (path.includes(':streamGenerateContent')) return stream(response, [[undefined, geminiAnswer(next, id)]]);
    return sayCompletion(response, body, next, id);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    say: (...more) => void answers.push(...more),
    take: () => requests.splice(0),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

type Said = Exclude<Answer, { status: number }>;
const TOKENS = { input: 120, output: 7 };

function sayResponse(response: ServerResponse, body: ModelRequest['body'], said: Said, id: string): void {
  const output =
    'text' in said
      ? [message(id, said.text)]
      : said.calls.map((call, at) => ({
          type: 'function_call',
          id: `fc_${id}_${at}`,
          call_id: `call_${id}_${at}`,
          name: call.name,
          arguments: JSON.stringify(call.arguments),
          status: 'completed',
        }));
  const usage = {
    input_tokens: TOKENS.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: TOKENS.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: TOKENS.input + TOKENS.output,
  };
  const whole = {
    id: `resp_${id}`,
    object: 'response',
    created_at: 0,
    model: body['model'],
    status: 'completed',
    output,
    usage,
  };
  if (body['stream'] !== true) return json(response, 200, whole);
  const events = [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
    ...output.map((item, at) => ({ type: 'response.output_item.done', output_index: at, item })),
    { type: 'response.completed', response: whole },
  ];
  stream(
    response,
    events.map((event, at) => [event.type, { ...event, sequence_number: at }] as const),
  );
}

const message = (id: string, text: string) => ({
  type: 'message',
  id: `msg_${id}`,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

function sayCompletion(response: ServerResponse, body: ModelRequest['body'], said: Said, id: string): void {
  const calls =
    'calls' in said
      ? said.calls.map((call, index) => ({
          index,
          id: `call_${id}_${index}`,
          type: 'function',
          function: { name: call.name, arguments: JSON.stringify(call.arguments) },
        }))
      : undefined;
  const told = { role: 'assistant', content: 'text' in said ? said.text : null, ...(calls && { tool_calls: calls }) };
  const finish_reason = calls ? 'tool_calls' : 'stop';
  const usage = {
    prompt_tokens: TOKENS.input,
    completion_tokens: TOKENS.output,
    total_tokens: TOKENS.input + TOKENS.output,
  };
  const frame = { id: `chatcmpl-${id}`, created: 0, model: body['model'] };
  if (body['stream'] !== true) {
    return json(response, 200, {
      ...frame,
      object: 'chat.completion',
      choices: [{ index: 0, message: told, finish_reason }],
      usage,
    });
  }
  const chunk = { ...frame, object: 'chat.completion.chunk' };
  stream(response, [
    [undefined, { ...chunk, choices: [{ index: 0, delta: told, finish_reason: null }] }],
    [undefined, { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] }],
    [undefined, { ...chunk, choices: [], usage }],
    [undefined, '[DONE]'],
  ]);
}

function geminiAnswer(said: Said, id: string) {
  const parts =
    'text' in said
      ? [{ text: said.text }]
      : said.calls.map((call, at) => ({
          functionCall: { id: `call_${id}_${at}`, name: call.name, args: call.arguments },
        }));
  const usageMetadata = {
    promptTokenCount: TOKENS.input,
    candidatesTokenCount: TOKENS.output,
    totalTokenCount: TOKENS.input + TOKENS.output,
  };
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata,
    totalTokens: TOKENS.input,
  };
}

function stream(response: ServerResponse, events: readonly (readonly [string | undefined, unknown])[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const [name, data] of events) {
    if (name !== undefined) response.write(`event: ${name}\n`);
    response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts).toString();
}

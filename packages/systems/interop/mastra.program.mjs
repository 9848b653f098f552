// Run beside the installed packages: does what a list of commands says with Mastra itself, and prints what came of it.
import { Mastra } from '@mastra/core';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { LibSQLStore } from '@mastra/libsql';
import { z } from 'zod';

const any = z.any();
/** Every step that ran, in this process. */
const ran = [];
const step = (id, execute) =>
  createStep({
    id,
    inputSchema: any,
    outputSchema: any,
    resumeSchema: any,
    suspendSchema: any,
    execute: async (context) => {
      ran.push(id);
      return execute(context);
    },
  });
const workflow = (id, ...entries) =>
  entries.reduce((flow, add) => add(flow), createWorkflow({ id, inputSchema: any, outputSchema: any })).commit();
const then = (entry) => (flow) => flow.then(entry);
const ask = (id, question) =>
  step(id, async ({ inputData, resumeData, suspend }) =>
    resumeData ? { ...inputData, ...resumeData } : suspend({ question }),
  );
const pass = (id) => step(id, async ({ inputData }) => ({ ...inputData, [id]: true }));

const research = workflow('research-sub', then(pass('search')), then(ask('pick', 'Which hit?')));
const chain = Array.from({ length: 110 }, (_, at) =>
  then(step(`s${String(at).padStart(3, '0')}`, async ({ inputData }) => ({ n: (inputData.n ?? 0) + 1 }))),
);
const workflows = {
  'approval-flow': workflow(
    'approval-flow',
    then(step('draft', async ({ inputData }) => ({ ...inputData, status: 'drafted' }))),
    then(ask('approve', 'Pay?')),
    then(step('pay', async ({ inputData }) => ({ ...inputData, status: inputData.approved ? 'paid' : 'refused' }))),
  ),
  'long-chain': workflow('long-chain', ...chain),
  'nested-parent': workflow('nested-parent', then(pass('plan')), then(research), then(pass('write'))),
  'research-sub': research,
  shapes: workflow(
    'shapes',
    then(pass('begin')),
    (flow) => flow.parallel([pass('left'), ask('right', 'Right?')]),
    then(step('join', async ({ inputData }) => ({ n: 0, ...inputData.left, ...inputData.right }))),
    (flow) =>
      flow.branch([
        [async () => true, pass('big')],
        [async () => false, pass('small')],
      ]),
    then(step('list', async () => ['a', 'bb', 'ccc'])),
    (flow) => flow.foreach(step('size', async ({ inputData }) => inputData.length)),
    then(step('sum', async ({ inputData }) => ({ n: inputData.reduce((sum, n) => sum + n, 0) }))),
    (flow) =>
      flow.dountil(
        step('tick', async ({ inputData }) => ({ n: inputData.n + 1 })),
        async ({ inputData }) => inputData.n >= 9,
      ),
    then(pass('end')),
  ),
};

const [, , path, commands] = process.argv;
const mastra = new Mastra({ workflows, storage: new LibSQLStore({ id: 'store', url: `file:${path}` }), logger: false });
const answers = [];
for (const { name, runId, act, ...options } of JSON.parse(commands)) {
  ran.length = 0;
  const run = await mastra.getWorkflow(name).createRun({ runId });
  const done = await run[act](options).catch((error) => ({ status: `ERR ${error.message}` }));
  answers.push({ status: done.status, result: done.result, error: done.error?.message, ran: [...ran] });
}
process.stdout.write(`${JSON.stringify(answers)}\n`);
process.exit(0);

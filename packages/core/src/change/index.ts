/** Changes are data: a system turns a request into a plan, an engine does what the plan's job says and nothing else. */
export * from './receipt.ts';
export * from './request.ts';
export * from './view.ts';

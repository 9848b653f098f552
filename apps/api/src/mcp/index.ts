export { createMcpEndpoint } from './endpoint.ts';
export type { McpEndpoint, McpLimits } from './endpoint.ts';
export type { McpDeps } from './server.ts';

export { createApp } from './app.ts';
export type { AppDeps } from './app.ts';
export { createToken, serve } from './serve.ts';
export type { RunningServer, ServeOptions } from './serve.ts';
export type { ServerStatus } from './services.ts';
export { folderShell } from './shell.ts';
export type { Shell, ShellFile } from './shell.ts';

// What a person sees of a long setup: one line a step, and where the details are.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const seconds = (ms) => `${Math.max(1, Math.round(ms / 1000))} s`;

/**
 * Numbered steps. `begin` ends the step before it; a step that is running or over is not begun again,
 * so whoever notices it first may name it.
 */
export function createSteps({ say, names, every = 30_000, now = Date.now }) {
  let at = -1;
  let began = 0;
  let beat;
  const label = () => `${at + 1}/${names.length} ${names[at]}`;
  const end = () => {
    clearInterval(beat);
    if (at >= 0 && began > 0) say(`${label()}: done in ${seconds(now() - began)}`);
    began = 0;
  };
  const begin = (name) => {
    const next = names.indexOf(name);
    if (next <= at) return;
    end();
    at = next;
    began = now();
    say(`${label()}…`);
    beat = setInterval(() => say(`${label()}: ${seconds(now() - began)} so far`), every);
    beat.unref();
  };
  return { begin, end, stop: () => clearInterval(beat), running: () => names[at] };
}

/** A fresh file for what other programs print. */
export function createLog(path) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  return {
    path,
    write: (text) => appendFileSync(path, text),
    tail: (lines = 30) => readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lines).join('\n'),
  };
}

/** Runs a program with all that it prints in the log; resolves with its exit code. */
export function runLogged(command, args, { log, cwd, env, onLine = () => {} }) {
  log.write(`\n$ ${[command, ...args].join(' ')}\n`);
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      stream.setEncoding('utf8').on('data', (text) => {
        log.write(text);
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        lines.forEach(onLine);
      });
    }
    child.on('error', (error) => {
      log.write(`${error.message}\n`);
      done(1);
    });
    child.on('close', (code) => done(code ?? 1));
  });
}

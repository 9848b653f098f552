/** Options of `open` whose next word is their value, not a store. */
const WITH_VALUE = new Set(['--port', '--host', '--allowed-host', '--token', '--key-file']);
const NO_STORE_NEEDED = ['--demo', '--help', '--version'];

/** `npm start` without a store shows the demo. */
export function startArguments(args) {
  const targets = args.filter((arg, at) => !arg.startsWith('-') && !WITH_VALUE.has(args[at - 1] ?? ''));
  const demo = targets.length === 0 && !args.some((arg) => NO_STORE_NEEDED.includes(arg));
  return demo ? ['--demo', ...args] : [...args];
}

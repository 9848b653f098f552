/** What the output goes to: how wide it is, and whether it shows colours. */
export interface Terminal {
  /** Columns of the terminal; absent in a pipe or a file, where nothing is cut. */
  readonly width?: number;
  readonly colours: boolean;
}

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>;
type Environment = Readonly<Record<string, string | undefined>>;

/** The rules of no-color.org and force-color.org: FORCE_COLOR, then NO_COLOR, then whether it is a terminal. */
export function terminalOf(stream: Stream, env: Environment): Terminal {
  const width = stream.isTTY && stream.columns > 0 ? { width: stream.columns } : {};
  return { ...width, colours: coloursOf(stream, env) };
}

function coloursOf({ isTTY }: Stream, env: Environment): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  return isTTY && env['TERM'] !== 'dumb';
}

/**
 * A closed pipe (`… | head`) is not a failure: what is written from then on goes nowhere, and the verb ends with its own
 * code, so that a change is finished and `verify` still tells what it found.
 * @param onFailure told once, when the output cannot be written for another reason
 */
export function watchOutput(onFailure: (error: NodeJS.ErrnoException) => void): void {
  let isBroken = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const isFirst = !isBroken;
    isBroken = true;
    if (isFirst && error.code !== 'EPIPE') onFailure(error);
  });
  // There is nowhere left to tell of it.
  process.stderr.on('error', () => undefined);
}

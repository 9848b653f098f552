import { execFile } from 'node:child_process';

/** How long to wait for git. */
export interface GitOptions {
  /** After so many milliseconds git is ended. Default 5000. */
  readonly timeoutMs?: number;
}

const HASH = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/**
 * The commit that the project is at: 40 hex digits (64 in a SHA-256 repository). Empty where there is none, for
 * whatever reason: no repository, no commit, no git, no such folder, no answer in time. Never throws.
 * @example await getGitCommit('/home/dev/project') // 'e4cf3f474a64bbd4a43953664b54c596fbde0fb5'
 */
export function getGitCommit(projectPath: string, options: GitOptions = {}): Promise<string> {
  const limits = { timeout: options.timeoutMs ?? 5000, killSignal: 'SIGKILL', windowsHide: true } as const;
  return new Promise((resolve) => {
    try {
      execFile('git', ['rev-parse', 'HEAD'], { cwd: projectPath, ...limits }, (error, stdout) => {
        const commit = stdout.trim();
        resolve(error === null && HASH.test(commit) ? commit : '');
      });
    } catch {
      resolve(''); // A path that no folder can have is refused before anything starts.
    }
  });
}

import { execFileSync } from 'node:child_process';
import { watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lookAgain } from './look-again.ts';
import { PATIENCE_MS } from './patience.ts';

/** A program in a real terminal (tmux), with a server of its own. */
export interface Terminal extends Disposable {
  /** Presses keys by tmux's names: `Enter`, `Down`, `C-u`. All of them arrive in one piece. */
  press(...keys: readonly string[]): void;
  type(text: string): void;
  /** Clicks at a column and line, from 0, as a terminal tells of it. */
  click(column: number, line: number): void;
  /** What stands on the screen, line by line. */
  lines(): string[];
  /** The same with its colours. */
  painted(): string;
  /** Waits until the screen has it; throws with the screen when it never does. */
  shows(what: string | RegExp): Promise<string>;
  resize(columns: number, rows: number): void;
}

/** @param directory of the test, for the socket; @param words the program and its arguments */
export function openTerminal(directory: string, words: readonly string[], size: { columns: number; rows: number } = { columns: 80, rows: 24 }): Terminal {
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', path.join(directory, 'tmux.sock'), ...args], { encoding: 'utf8' });
  // The exit code stays on the screen after the program; the shell that prints it then waits.
  const script = `${words.map(quoted).join(' ')}; echo "ended with $?"; exec sleep 600`;
  tmux('new-session', '-d', '-x', String(size.columns), '-y', String(size.rows), 'sh', '-c', script);
  // What the program writes goes into a file too, which tells when there is something new to see.
  const written = path.join(directory, 'tmux.out');
  writeFileSync(written, '');
  tmux('pipe-pane', `cat >> ${quoted(written)}`);
  const lines = (): string[] => tmux('capture-pane', '-p').split('\n').slice(0, -1);
  return {
    press: (...keys) => void tmux('send-keys', ...keys),
    type: (text) => void tmux('send-keys', '-l', text),
    click: (column, line) => void tmux('send-keys', '-l', `\x1b[<0;${column + 1};${line + 1}M\x1b[<0;${column + 1};${line + 1}m`),
    lines,
    painted: () => tmux('capture-pane', '-p', '-e'),
    shows(what) {
      let text = '';
      return lookAgain({
        async look() {
          text = lines().join('\n');
          const seen = typeof what === 'string' ? text.includes(what) : what.test(text);
          return seen ? text : undefined;
        },
        async listen(changed) {
          const watcher = watch(written, changed);
          return async () => watcher.close();
        },
        timeoutMs: PATIENCE_MS,
        failure: () => `never on the screen: ${what}\n${text}`,
      });
    },
    resize: (columns, rows) => void tmux('resize-window', '-x', String(columns), '-y', String(rows)),
    [Symbol.dispose]: () => void tmux('kill-server'),
  };
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

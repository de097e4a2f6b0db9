import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageRoot } from '../../../config/package.ts';
import { patient } from '../../support/patience.ts';
import { signal } from '../processes.ts';

/** One role of the installation, as its supervisor sees it. */
export interface Role {
  /** Starts the built program; resolves when it is ready. */
  start(terms?: { readonly env?: Readonly<Record<string, string>>; readonly launcher?: readonly string[] }): Promise<void>;
  /** Resolves when it is gone. */
  end(how?: NodeJS.Signals): Promise<void>;
  signal(name: NodeJS.Signals): void;
}

const PROGRAM = path.join(packageRoot(), 'dist/src/bin/writ.js');
const READY_MS = patient(60_000);

/** @param logs directory for what it says */
export function createRole(words: readonly string[], logs: string): Role {
  let child: ChildProcess | undefined;
  let gone: Promise<unknown> = Promise.resolve();
  const log = path.join(logs, `${words.at(-1)}.log`);
  return {
    async start({ env = {}, launcher = [] } = {}) {
      const fd = openSync(log, 'a');
      const command = ['--pdeathsig', 'KILL', ...launcher, process.execPath, PROGRAM, ...words];
      const started = spawn('setpriv', command, { stdio: ['ignore', fd, fd, 'ipc'], env: { ...process.env, ...env } });
      closeSync(fd);
      child = started;
      gone = new Promise((settle) => started.once('exit', settle));
      const ready = new Promise<string>((settle) => started.on('message', ({ type }: { type?: string }) => type === 'ready' && settle('ready')));
      const how = await Promise.race([ready, gone.then(() => 'ended'), delay(READY_MS, 'hangs', { ref: false })]);
      if (how !== 'ready') throw new Error(`${words.join(' ')} ${how} at its start; ${log} may tell why`);
    },
    async end(how = 'SIGTERM') {
      if (child?.pid !== undefined) signal(child.pid, how);
      await gone;
    },
    signal(name) {
      if (child?.pid !== undefined) signal(child.pid, name);
    },
  };
}

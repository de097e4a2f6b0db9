import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Owner } from './dovecot-config.ts';

export interface DovecotProcess {
  /** SIGKILL for the master and its children; resolves when the master is gone. */
  kill(): Promise<void>;
}

/** Resolves when the server listens: Dovecot opens its sockets before it says that it starts up. */
export async function startDovecot(config: string, owner: Owner): Promise<DovecotProcess> {
  const become = owner.drop ? ['--reuid', owner.user, '--regid', owner.group, '--clear-groups'] : [];
  // A test run that is killed must not leave its servers behind. An ordinary user's PATH lacks /usr/sbin on Debian.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...become, 'dovecot', '-F', '-c', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
  });
  const gone = once(child, 'exit');
  const said: string[] = [];
  const lines = createInterface({ input: child.stderr });
  const ready = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (said.length < 50) said.push(line);
      if (line.includes('starting up for imap')) resolve();
    });
  });
  const early = gone.then(() => {
    throw new Error(`Dovecot did not start (apt-get install dovecot-imapd):\n${said.join('\n')}`);
  });
  await Promise.race([ready, early]);
  early.catch(() => undefined);

  const pid = child.pid ?? 0;
  const running = () => child.exitCode === null && child.signalCode === null;
  return {
    async kill() {
      if (!running()) return;
      const children = childrenOf(pid);
      child.kill('SIGKILL');
      for (const member of children) killIfThere(member);
      await gone;
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** Its process for a client may have ended by itself. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

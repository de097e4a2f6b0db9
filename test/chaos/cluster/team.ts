import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

/** The worker processes of one pool. */
export interface Team {
  /** Each in turn: SIGTERM, the end of its drain, a new one that is ready. Answers the exit codes and the longest drain. */
  roll(): Promise<{ readonly codes: readonly (number | string)[]; readonly longestMs: number }>;
  /** SIGKILL of one, and a new one. */
  kill(member: number): Promise<void>;
  /** Ends that nobody asked for. */
  readonly deaths: number;
  stop(): Promise<void>;
}

interface Member {
  readonly child: ChildProcess;
  readonly ended: Promise<number | string>;
  wanted: boolean;
}

/** Starts `size` workers; one that ends by itself is counted and started again. */
export async function startTeam(worker: string, setupFile: string, logFile: string, size: number): Promise<Team> {
  const log = openSync(logFile, 'a');
  const members: Member[] = [];
  let deaths = 0;

  const launch = async (at: number): Promise<void> => {
    const child = spawn(process.execPath, [worker, setupFile], { stdio: ['ignore', log, log, 'ipc'] });
    const ended = new Promise<number | string>((settle) => child.once('exit', (code, signal) => settle(code ?? signal ?? 'unknown')));
    const member: Member = { child, ended, wanted: true };
    members[at] = member;
    child.on('error', () => undefined);
    const isReady = await Promise.race([once(child, 'message').then(([message]) => (message as { type?: string }).type === 'ready'), ended.then(() => false)]);
    if (!isReady) {
      deaths += 1;
      return launch(at);
    }
    void ended.then(() => {
      if (!member.wanted) return;
      deaths += 1;
      void launch(at);
    });
  };
  const end = async (at: number, signal: NodeJS.Signals): Promise<number | string> => {
    const member = members[at];
    if (member === undefined) throw new Error(`there is no worker ${at}`);
    member.wanted = false;
    member.child.kill(signal);
    return member.ended;
  };

  await Promise.all(Array.from({ length: size }, (_, at) => launch(at)));
  return {
    async roll() {
      const codes: (number | string)[] = [];
      let longestMs = 0;
      for (let at = 0; at < size; at += 1) {
        const asked = performance.now();
        codes.push(await end(at, 'SIGTERM'));
        longestMs = Math.max(longestMs, Math.round(performance.now() - asked));
        await launch(at);
      }
      return { codes, longestMs };
    },
    async kill(at) {
      await end(at, 'SIGKILL');
      await launch(at);
    },
    get deaths() {
      return deaths;
    },
    async stop() {
      await Promise.all(members.map((_, at) => end(at, 'SIGTERM')));
      closeSync(log);
    },
  };
}

import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WritError } from '../../core/errors.ts';
import { portHolder } from '../linux/port-holder.ts';

/** A port that is about to be opened, and the setting that asks for it. */
export interface WantedPort {
  readonly field: string;
  readonly host: string;
  readonly port: number;
  /** Is compared with the others, and need not be free. */
  readonly optional?: boolean;
}

/** A role whose supervisor was killed drains and lets go of its port within this; nobody else is waited for. */
const GOING_MS = 15_000;
const LOOK_AGAIN_MS = 50;

/**
 * Makes sure that all ports are free, before anything is made. Port 0 is always free.
 *
 * @param options.mayHold a process that is ended in time by whoever asks (a private Redis that was left behind)
 * @throws WritError INVALID_CONFIG naming the setting and the process in the way
 */
export async function probePorts(ports: readonly WantedPort[], { mayHold }: { readonly mayHold: (pid: number) => boolean }): Promise<void> {
  const asked = new Map<number, string>();
  for (const wanted of ports.filter(({ port }) => port !== 0)) {
    const other = asked.get(wanted.port);
    if (other !== undefined) throw refusal(wanted, `${other} asks for the same port; set another one`);
    asked.set(wanted.port, wanted.field);
    if (wanted.optional !== true) await untilFree(wanted, mayHold);
  }
}

async function untilFree(wanted: WantedPort, mayHold: (pid: number) => boolean): Promise<void> {
  const deadline = performance.now() + GOING_MS;
  for (;;) {
    const fault = await faultOf(wanted);
    if (fault === undefined) return;
    if (fault === 'EACCES') throw refusal(wanted, 'this user may not open it; take a port from 1024 on');
    const holder = portHolder(wanted.port);
    const pid = holder?.process?.pid;
    if (pid !== undefined && mayHold(pid)) return;
    if (pid === undefined || !isLeftBehind(pid) || performance.now() > deadline) throw refusal(wanted, `${sentenceOf(holder)}; end it, or set another port`);
    await delay(LOOK_AGAIN_MS);
  }
}

/** Faults of the address are told by whoever opens it: they are no matter of ports. */
function faultOf({ host, port }: WantedPort): Promise<'EADDRINUSE' | 'EACCES' | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE' || error.code === 'EACCES' ? error.code : undefined));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function sentenceOf(holder: ReturnType<typeof portHolder>): string {
  if (holder?.process !== undefined) return `another program listens there: process ${holder.process.pid} (${holder.process.name})`;
  return holder === undefined ? 'another program listens there' : `another program listens there, of the user with the id ${holder.uid}`;
}

function refusal({ field, host, port }: WantedPort, why: string): WritError {
  return new WritError('INVALID_CONFIG', `${host} port ${port} cannot be had: ${why}`, { field });
}

/** Whether a process is this program without the parent that started it: it ends by itself. */
function isLeftBehind(pid: number): boolean {
  const script = process.argv[1] ?? '';
  return script !== '' && pid !== process.pid && argumentsOf(pid).includes(script) && !argumentsOf(parentOf(pid)).includes(script);
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0);
}

function argumentsOf(pid: number): readonly string[] {
  return textOf(`/proc/${pid}/cmdline`).split('\0');
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

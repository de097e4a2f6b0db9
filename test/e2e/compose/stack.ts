import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import { type Compose, imageOf, readCompose } from './compose-file.ts';
import { type Container, createContainer } from './container.ts';

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `docker compose`, as far as docs/monitoring.md uses it. */
export interface Stack {
  /** `docker compose run --rm <service> [command]` */
  run(service: string, command?: readonly string[]): Promise<Said>;
  /** `docker compose up -d`; resolves when every service that can run here is healthy. */
  up(): Promise<void>;
  /** Inside a running service. */
  exec(service: string, command: readonly string[]): Promise<Said>;
  /** SIGTERM, as `docker compose stop`; how each service ended, and what it said. */
  stop(): Promise<Readonly<Record<string, Said>>>;
}

interface Up {
  readonly container: Container;
  readonly said: Promise<Said>;
  readonly child: ChildProcess;
}

const HEALTHY_MS = patient(120_000);
/** A check is a process of its own, and takes from the services the time in which they would start. */
const LOOK_MS = 2_000;

export function createStack(home: string, project: string): Stack {
  const compose = readCompose();
  const ground = { compose, home, project };
  const running = new Map<string, Up>();
  const started = new Map<string, Promise<void>>();
  let serial = 0;
  const container = (name: string): Container => {
    serial += 1;
    return createContainer(name, ground, serial);
  };

  const start = (name: string): Promise<void> => {
    const starting = started.get(name) ?? bringUp(name);
    started.set(name, starting);
    return starting;
  };
  async function bringUp(name: string): Promise<void> {
    const needs = Object.keys(compose.services[name]?.depends_on ?? {});
    await Promise.all(needs.map(start));
    const own = container(name);
    const child = own.start();
    const said = saidBy(child);
    if (isOnce(compose, name)) {
      const { code, err } = await said;
      if (code !== 0) throw new Error(`${name} ended with ${code}: ${err}`);
      return;
    }
    running.set(name, { container: own, child, said });
    await Promise.race([healthy(name), said.then(({ code, err }) => Promise.reject(new Error(`${name} ended with ${code}: ${err}`)))]);
  }
  /** The service's own check, until it says yes. */
  async function healthy(name: string): Promise<void> {
    const [kind, ...command] = compose.services[name]?.healthcheck?.test ?? [];
    if (kind !== 'CMD') throw new Error(`${name} has no check that can be run`);
    const end = performance.now() + HEALTHY_MS;
    while (!(await isHealthy(name, command))) {
      if (performance.now() > end) throw new Error(`${name} does not become healthy`);
      await delay(LOOK_MS);
    }
  }
  /** `wget` is part of the foreign images, not of every host. */
  async function isHealthy(name: string, command: readonly string[]): Promise<boolean> {
    if (command[0] !== 'wget') return (await stack.exec(name, command)).code === 0;
    return fetch(command.at(-1) ?? '').then(
      ({ ok }) => ok,
      () => false,
    );
  }

  const stack: Stack = {
    run: (service, command) => saidBy(container(service).start(command)),
    async up() {
      const names = Object.entries(compose.services).filter(([, service]) => imageOf(service) !== undefined);
      await Promise.all(names.map(([name]) => start(name)));
    },
    exec: async (service, command) => saidBy((running.get(service)?.container ?? container(service)).exec(command)),
    async stop() {
      const ends: [string, Said][] = [];
      // Those that others need go last.
      for (const [name, { child, said }] of [...running].reverse()) {
        child.kill('SIGTERM');
        ends.push([name, await said]);
      }
      return Object.fromEntries(ends);
    },
  };
  return stack;
}

function isOnce({ services }: Compose, name: string): boolean {
  return Object.values(services).some(({ depends_on: needs }) => needs?.[name]?.condition === 'service_completed_successfully');
}

async function saidBy(child: ChildProcess): Promise<Said> {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, out, err };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import { type Ran, ran } from '../package/ran.ts';

/** A container engine of our own: socket, images, containers and volumes lie below one directory. */
export interface Engine {
  /** What a process must be told to reach it; `docker compose` is there whether or not the plugin is. */
  readonly env: Readonly<Record<string, string>>;
  docker(...words: string[]): Promise<Ran>;
  /** As `docker`; throws with what was said when it fails. The standard output, trimmed. */
  must(...words: string[]): Promise<string>;
  /** Ends it with all its containers, and unmounts what they left. */
  stop(): Promise<void>;
}

const UP_WITHIN_MS = patient(60_000);
/** `docker compose` by Debian's docker-compose; every other word is for docker. As root nothing needs sudo. */
const SHIMS = {
  docker: '#!/bin/sh\n[ "$1" = compose ] && shift && exec docker-compose "$@"\nPATH=$OUTER_PATH exec docker "$@"\n',
  sudo: '#!/bin/sh\nexec "$@"\n',
};

export async function startEngine(home: string): Promise<Engine> {
  const at = (name: string): string => path.join(home, name);
  mkdirSync(at('bin'), { recursive: true });
  for (const [name, script] of Object.entries(SHIMS)) writeFileSync(at(`bin/${name}`), script, { mode: 0o755 });
  const host = `unix://${at('engine.sock')}`;
  const OUTER_PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
  const PATH = `${at('bin')}:${OUTER_PATH}`;
  // The classic builder: the other one is a plugin that Debian's package does not bring.
  const env = { PATH, OUTER_PATH, DOCKER_HOST: host, DOCKER_BUILDKIT: '0', COMPOSE_DOCKER_CLI_BUILD: '0', COMPOSE_HTTP_TIMEOUT: '600' };

  const log = openSync(at('engine.log'), 'w');
  const places = ['--host', host, '--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('engine.pid')];
  // No rule of this host's firewall is touched; published ports are the engine's own proxy.
  const words = ['--pdeathsig=TERM', 'dockerd', ...places, '--iptables=false', '--ip6tables=false', '--bridge=none'];
  const daemon = spawn('setpriv', words, { env: { ...process.env, ...env }, stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = once(daemon, 'close');

  const docker = (...args: string[]): Promise<Ran> => ran('docker', args, home, env);
  for (const end = performance.now() + UP_WITHIN_MS; (await docker('info')).code !== 0; await delay(300)) {
    if (daemon.exitCode !== null || performance.now() > end)
      throw new Error(`dockerd does not come up: ${readFileSync(at('engine.log'), 'utf8').slice(-3000)}`);
  }
  return {
    env,
    docker,
    async must(...args) {
      const { code, out, err } = await docker(...args);
      if (code !== 0) throw new Error(`docker ${args.join(' ')} ended with ${code}: ${out.slice(-3000)}${err.slice(-3000)}`);
      return out.trim();
    },
    async stop() {
      const containers = (await docker('ps', '--all', '--quiet')).out.split('\n').filter(Boolean);
      if (containers.length > 0) await docker('rm', '--force', '--volumes', ...containers);
      await docker('network', 'prune', '--force');
      daemon.kill('SIGTERM');
      await ended;
      await unmountBelow(home);
    },
  };
}

/** Removes the directory of an engine that was stopped. Never while something is mounted in it. */
export function removeHome(home: string): void {
  if (mountsBelow(home).length > 0) throw new Error(`${home} has mounts, it stays: umount them`);
  rmSync(home, { recursive: true, force: true });
}

function mountsBelow(home: string): readonly string[] {
  const mounted = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  return mounted.filter((place) => place.startsWith(`${home}/`)).reverse();
}

async function unmountBelow(home: string): Promise<void> {
  for (const place of mountsBelow(home)) await ran('umount', [place], '/');
}

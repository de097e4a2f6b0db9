import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import type { ClusterTarget } from '../../src/adapters/redis/target.ts';
import { PATIENCE_MS } from './patience.ts';
import { freePorts } from './ports.ts';

const PASSWORD = 'cluster-of-a-test';
const LOOK_MS = 50;
const run = promisify(execFile);

/** One line of CLUSTER NODES. */
export interface ClusterNode {
  readonly id: string;
  readonly port: number;
  readonly isMaster: boolean;
  /** Of a replica: the id of its master. */
  readonly masterId: string;
  readonly failed: boolean;
  readonly slots: readonly (readonly [first: number, last: number])[];
}

/** A real Redis Cluster of redis-server processes on loopback, each with its own ports and folder. */
export interface TestCluster extends AsyncDisposable {
  readonly ports: readonly number[];
  target(): ClusterTarget;
  /** What a living node says about all of them. */
  nodes(): Promise<readonly ClusterNode[]>;
  /** The port of the master that has this slot. */
  masterOf(slot: number): Promise<number>;
  /** A connection to one node, closed with the cluster. */
  node(port: number): Redis;
  signal(port: number, name: NodeJS.Signals): void;
  kill(port: number): Promise<void>;
  /** Starts a node that was killed, on its folder. */
  restart(port: number): Promise<void>;
  /** Resolves when all slots are served and nobody is counted as failed but those killed. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestClusterOptions {
  /** Three masters unless said otherwise. */
  readonly masters?: number;
  /** Of each master. */
  readonly replicas?: number;
  readonly nodeTimeoutMs?: number;
}

/** Starts the servers and joins them with `redis-cli --cluster create`. */
export async function startTestCluster({ masters = 3, replicas = 0, nodeTimeoutMs = 2000 }: TestClusterOptions = {}): Promise<TestCluster> {
  const home = mkdtempSync(join(tmpdir(), 'writ-cluster-'));
  const count = masters * (1 + replicas);
  const all = await freePorts(2 * count);
  const ports = all.slice(0, count);
  const running = new Map<number, ChildProcess>();
  const clients = new Map<number, Redis>();

  const start = async (port: number): Promise<void> => {
    const directory = join(home, String(port));
    mkdirSync(directory, { recursive: true });
    const settings = {
      port,
      'cluster-port': all[count + ports.indexOf(port)] ?? 0,
      bind: '127.0.0.1',
      dir: directory,
      logfile: 'redis.log',
      'cluster-enabled': 'yes',
      'cluster-node-timeout': nodeTimeoutMs,
      // A replica that was cut off for long is as good as none; here the newest of them may always take over.
      'cluster-replica-validity-factor': 0,
      appendonly: 'yes',
      save: '',
      'repl-diskless-sync-delay': 0,
      'maxmemory-policy': 'noeviction',
      'proto-max-bulk-len': '16mb',
      requirepass: PASSWORD,
      masterauth: PASSWORD,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    // A test run that is killed must not leave its servers behind.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'redis-server', ...args], { stdio: 'ignore' });
    running.set(port, child);
    await lookUntil(async () => (await node(port).ping()) === 'PONG', `node ${port} does not start`);
  };
  const node = (port: number): Redis => {
    const known = clients.get(port);
    if (known !== undefined) return known;
    const redis = new Redis({ port, password: PASSWORD, maxRetriesPerRequest: 0, commandTimeout: 1000, retryStrategy: () => LOOK_MS });
    clients.set(
      port,
      redis.on('error', () => undefined),
    );
    return redis;
  };
  const living = (): number => {
    const [port] = running.keys();
    if (port === undefined) throw new Error('no node runs');
    return port;
  };
  const nodes = async (port = living()): Promise<readonly ClusterNode[]> =>
    String(await node(port).cluster('NODES'))
      .trim()
      .split('\n')
      .map(nodeOf);

  await Promise.all(ports.map(start));
  const addresses = ports.map((port) => `127.0.0.1:${port}`);
  await run('redis-cli', ['--no-auth-warning', '-a', PASSWORD, '--cluster', 'create', ...addresses, '--cluster-replicas', String(replicas), '--cluster-yes']);

  const cluster: TestCluster = {
    ports,
    target: () => ({ url: `redis://:${PASSWORD}@127.0.0.1:${ports[0]}`, cluster: addresses.slice(1) }),
    nodes: () => nodes(),
    async masterOf(slot) {
      const owner = (await nodes()).find(({ isMaster, failed, slots }) => isMaster && !failed && slots.some(([first, last]) => first <= slot && slot <= last));
      if (owner === undefined) throw new Error(`nobody has slot ${slot}`);
      return owner.port;
    },
    node,
    signal: (port, name) => void running.get(port)?.kill(name),
    async kill(port) {
      const child = running.get(port);
      if (child === undefined) return;
      running.delete(port);
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    restart: start,
    async settled() {
      await lookUntil(async () => {
        const states = await Promise.all(
          [...running.keys()].map(async (port) => {
            const [info, seen, replication] = await Promise.all([node(port).cluster('INFO'), nodes(port), node(port).info('replication')]);
            const missing = seen.filter((one) => one.failed && running.has(one.port)).length;
            return /cluster_state:ok/.test(String(info)) && missing === 0 && !/master_link_status:down/.test(replication);
          }),
        );
        return states.every(Boolean);
      }, 'the cluster does not settle');
    },
    async stop() {
      for (const redis of clients.values()) redis.disconnect();
      await Promise.all([...running.keys()].map((port) => cluster.kill(port)));
      rmSync(home, { recursive: true, force: true });
    },
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
  await cluster.settled();
  return cluster;
}

/** `<id> 127.0.0.1:<port>@<bus> <flags> <master> <ping> <pong> <epoch> <link> <slots…>` */
function nodeOf(line: string): ClusterNode {
  const [id = '', address = '', flags = '', masterId = '', , , , , ...slots] = line.split(' ');
  const ranges = slots.filter((slot) => /^\d/.test(slot)).map((slot) => slot.split('-').map(Number));
  return {
    id,
    port: Number(/:(\d+)@/.exec(address)?.[1]),
    isMaster: flags.split(',').includes('master'),
    masterId,
    failed: /fail/.test(flags),
    slots: ranges.map(([first = 0, last = first]) => [first, last] as const),
  };
}

async function lookUntil(holds: () => Promise<boolean>, failure: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > end) throw new Error(`${failure} within ${PATIENCE_MS} ms`);
    await delay(LOOK_MS);
  }
}

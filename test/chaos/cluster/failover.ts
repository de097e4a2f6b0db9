import { setTimeout as delay } from 'node:timers/promises';
import type { TestCluster } from '../../support/redis-cluster.ts';

const LAG_MS = 400;
const LOOK_MS = 50;
const PATIENCE_MS = 60_000;

export interface Failover {
  /** From the kill until another server has the slots, milliseconds. */
  readonly promotedMs: number;
}

/**
 * SIGKILL of the master of a slot, until its replica has taken over; then the dead one comes back as a replica. `lag`: the
 * replica is stopped shortly before, so that the master acknowledges writes that the next master never sees.
 */
export async function failOver(cluster: TestCluster, slot: number, lag: boolean): Promise<Failover> {
  const master = await cluster.masterOf(slot);
  const nodes = await cluster.nodes();
  const id = nodes.find(({ port }) => port === master)?.id;
  const replica = nodes.find(({ masterId, failed }) => masterId === id && !failed);
  if (replica === undefined) throw new Error(`node ${master} has no replica`);
  if (lag) {
    cluster.signal(replica.port, 'SIGSTOP');
    // Without this the kernel would keep for the replica what the master has sent.
    await cluster.node(master).call('CLIENT', 'KILL', 'TYPE', 'replica');
    await delay(LAG_MS);
  }
  const killed = performance.now();
  await cluster.kill(master);
  if (lag) cluster.signal(replica.port, 'SIGCONT');
  while ((await cluster.masterOf(slot).catch(() => master)) === master) {
    if (performance.now() - killed > PATIENCE_MS) throw new Error('no replica took over');
    await delay(LOOK_MS);
  }
  const promotedMs = Math.round(performance.now() - killed);
  await cluster.restart(master);
  await cluster.settled();
  return { promotedMs };
}

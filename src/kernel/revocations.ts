import { setTimeout as delay } from 'node:timers/promises';
import type { RevocationPayload } from '../contracts/index.ts';
import { messageOf, WritError } from '../core/errors.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { KernelHealth, RevokeAnswer, RevokeRequest, StoredRevocation } from '../core/ports/index.ts';
import { openLease, openPlanLease, signRevocation, verifyRevocation } from '../lease/index.ts';
import type { KernelOptions } from './options.ts';

/** The revocation log: numbered and fsynced here first, then handed to the feed, again and again: the feed may lose it. */
export interface RevocationLog extends Lifecycle {
  revoke(request: RevokeRequest): Promise<RevokeAnswer>;
  health(): KernelHealth['revocations'];
}

const LOOK_MS = 5000;
const PAGE = 500;
/** How long a start waits for the feed; then publishing goes on beside the work. */
const START_PATIENCE_MS = 3000;

export function createRevocationLog(options: KernelOptions): RevocationLog {
  const { store, key, kernelKeyring, ed25519, clock, feed, report } = options;
  const verifier = { keyring: kernelKeyring, ed25519 };
  let turn: Promise<unknown> = Promise.resolve();
  let problem: string | undefined = feed === undefined ? undefined : 'not published yet';
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;

  /** Brings the feed up to our number, or, after our records were lost, takes back what it still has of ours. */
  async function publish(): Promise<void> {
    if (feed === undefined) return;
    try {
      const head = await feed.head();
      const own = store.lastRevocation();
      if (head > own) await adopt(await feed.read(own + 1));
      for (let n = head + 1; n <= store.lastRevocation(); n += PAGE) await feed.publish(store.revocationsFrom(n, PAGE));
      problem = undefined;
    } catch (error) {
      if (problem !== messageOf(error)) report?.(`the revocation log is not published: ${messageOf(error)}`);
      problem = messageOf(error);
    }
    schedule();
  }

  /** Published entries beyond our own number were signed by this kernel before it lost its records. */
  async function adopt(tokens: readonly string[]): Promise<void> {
    const entries: StoredRevocation[] = [];
    for (const token of tokens) {
      const verified = await verifyRevocation(token, verifier);
      if (!verified.ok) throw new WritError('STORAGE_UNAVAILABLE', `the published log has entries that this kernel did not sign: ${verified.message}`);
      const { n, jti, exp, at } = verified.entry;
      entries.push({ n, jti, exp, at, token });
    }
    store.revoke(entries, undefined, clock.now());
    report?.(`took ${entries.length} revocations over from the published log`);
  }

  function schedule(): void {
    if (retry !== undefined || stopped) return;
    retry = setTimeout(() => {
      retry = undefined;
      void inTurn(publish);
    }, LOOK_MS);
    retry.unref();
  }

  async function append(jti: string, exp: number, by: string | undefined): Promise<number> {
    const known = store.revocation(jti);
    if (known !== undefined) return known.n;
    const entry: RevocationPayload = { v: 1, n: store.lastRevocation() + 1, jti, exp, at: Math.floor(clock.now() / 1000) };
    const token = await signRevocation(entry, key, ed25519);
    const { n, at } = entry;
    store.revoke([{ n, jti, exp, at, token }], { action: 'revoke', taskId: undefined, jti, by, details: { n, exp } }, clock.now());
    return n;
  }

  async function subject(request: RevokeRequest): Promise<{ jti: string; exp: number }> {
    if (!('lease' in request)) return request;
    const task = await openLease(request.lease, verifier);
    const opened = task.ok ? task : await openPlanLease(request.lease, verifier);
    if (!opened.ok) throw new WritError('INVALID_LEASE', opened.message, { field: 'lease' });
    return opened.lease;
  }

  /** One change at a time: numbers have no gaps. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  }

  const log: RevocationLog = {
    async revoke(request) {
      const { jti, exp } = await subject(request);
      return inTurn(async () => {
        // Our number is only right after we have seen what was published before our records were lost.
        if (problem !== undefined) await publish();
        const n = await append(jti, exp, request.by);
        await publish();
        return { n, jti, published: feed !== undefined && problem === undefined };
      });
    },
    health: () => ({ number: store.lastRevocation(), published: feed !== undefined && problem === undefined, ...(problem === undefined ? {} : { problem }) }),
    // A kernel signs without Redis: one that is silent must not keep it from starting.
    start: () => withinPatience(inTurn(publish)),
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await turn;
    },
    [Symbol.asyncDispose]: () => log.stop(),
  };
  return log;
}

async function withinPatience(work: Promise<void>): Promise<void> {
  const patience = new AbortController();
  try {
    await Promise.race([work, delay(START_PATIENCE_MS, undefined, { signal: patience.signal, ref: false }).catch(() => undefined)]);
  } finally {
    patience.abort();
  }
}

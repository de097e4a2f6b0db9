import { setTimeout as delay } from 'node:timers/promises';
import type { LeasePayload, TaskManifest } from '../../src/contracts/index.ts';
import { ExecutionResult } from '../../src/contracts/index.ts';
import { manifestSha256 } from '../../src/core/hash.ts';
import type { Receipt } from '../../src/core/ports/index.ts';
import { verifyResult } from '../../src/lease/index.ts';
import type { Verifier } from '../../src/lease/token.ts';
import { patient } from '../support/patience.ts';
import type { Rig } from '../support/rig.ts';
import type { Counts } from './counts.ts';

/** One task as its producer knows it: pushed again with the same id and the same lease as long as it has no answer. */
export interface Ticket {
  readonly manifest: TaskManifest;
  readonly lease: string;
  /** Data losses that had been seen when it was last accepted. */
  acceptedAt: number;
  /** The exact text of the first answer. */
  answer: string | undefined;
}

export interface Tickets {
  issue(manifest: TaskManifest, lease?: Partial<LeasePayload>): Promise<Ticket>;
  /** Resolves when the push is accepted. */
  push(ticket: Ticket): Promise<Receipt>;
  /** The answer, verified; `undefined` when none came: the task is lost. */
  answer(ticket: Ticket): Promise<ExecutionResult | undefined>;
  /** Whether there is an answer by now. */
  hasEnded(ticket: Ticket): Promise<boolean>;
  /** Pushes a finished task once more and compares the answers. */
  replay(ticket: Ticket): Promise<void>;
  /** Every ticket that has an answer. */
  readonly answered: readonly Ticket[];
  /** Redis has lost data: whoever has no answer pushes again. */
  lossHappened(): void;
  readonly losses: number;
  /** Holds new pushes back and waits for those under way, while `body` hurts Redis. */
  withoutPushes<T>(body: () => Promise<T>): Promise<T>;
}

const LOOK_MS = 150;
const AGAIN_MS = 50;
/** Locks end after 1.5 s; the longest honest way is four takeovers with a busy host. */
const LOST_AFTER_MS = patient(90_000);

export function createTickets(rig: Rig, verifier: Verifier, counts: Counts): Tickets {
  const answered: Ticket[] = [];
  let losses = 0;
  let gate: Promise<unknown> = Promise.resolve();
  const pushing = new Set<Promise<unknown>>();

  async function push(ticket: Ticket): Promise<Receipt> {
    for (;;) {
      await gate;
      const seen = losses;
      const trying = rig.push(ticket.manifest, { lease: ticket.lease });
      const settled = trying.then(
        () => undefined,
        () => undefined,
      );
      pushing.add(settled);
      try {
        const receipt = await trying;
        ticket.acceptedAt = seen;
        return receipt;
      } catch {
        await delay(AGAIN_MS);
      } finally {
        pushing.delete(settled);
      }
    }
  }

  async function recorded({ manifest }: Ticket): Promise<string | undefined> {
    const row = await rig.ledger.row(manifest.task_id).catch(() => undefined);
    return row && row.state !== 'running' ? row.result : undefined;
  }

  async function look(ticket: Ticket): Promise<string | undefined> {
    const text = await recorded(ticket);
    if (text !== undefined || ticket.acceptedAt >= losses) return text;
    counts.event('repushes');
    const receipt = await push(ticket);
    if (receipt.kind === 'conflict') counts.violation('wrong', `${ticket.manifest.task_id}: pushed again, it conflicts`);
    return receipt.kind === 'finished' ? receipt.result : undefined;
  }

  async function waitForText(ticket: Ticket): Promise<string | undefined> {
    const end = performance.now() + LOST_AFTER_MS;
    while (performance.now() < end) {
      const text = await look(ticket);
      if (text !== undefined) return text;
      await delay(LOOK_MS);
    }
    return undefined;
  }

  return {
    async issue(manifest, lease) {
      counts.event('tasks');
      return { manifest, lease: await rig.lease(manifest, lease), acceptedAt: 0, answer: undefined };
    },
    push,
    async answer(ticket) {
      // Whoever has an answer does not ask again: Redis may lose it, and a FAILURE would be tried again.
      if (ticket.answer !== undefined) return ExecutionResult.parse(JSON.parse(ticket.answer));
      const { task_id: taskId, capability_id: capabilityId } = ticket.manifest;
      const text = await waitForText(ticket);
      if (text === undefined) {
        const job = await rig.enqueue.jobState(taskId).catch(() => undefined);
        const row = await rig.ledger.row(taskId).catch(() => undefined);
        counts.violation('lost', `${taskId}: job ${job?.state ?? 'none'}, row ${JSON.stringify(row ?? null)}`);
        return undefined;
      }
      const verified = await verifyResult(text, { taskId, capabilityId, manifestSha256: manifestSha256(ticket.manifest) }, verifier);
      if (!verified.ok) counts.violation('wrong', `${taskId}: the answer does not verify: ${verified.message}`);
      if (ticket.answer === undefined) answered.push(ticket);
      ticket.answer = text;
      const result = ExecutionResult.parse(JSON.parse(text));
      counts.event(result.status === 'SUCCESS' ? 'success' : 'failure');
      return result;
    },
    hasEnded: async (ticket) => (await look(ticket)) !== undefined,
    async replay(ticket) {
      counts.event('replays');
      const receipt = await push(ticket);
      const text = receipt.kind === 'finished' ? receipt.result : await waitForText(ticket);
      if (text !== ticket.answer) counts.violation('wrong', `${ticket.manifest.task_id}: answered ${ticket.answer}, then ${text}`);
    },
    answered,
    lossHappened() {
      losses += 1;
      counts.event('dataLosses');
    },
    get losses() {
      return losses;
    },
    async withoutPushes(body) {
      const before = gate;
      const closed = before.then(async () => {
        await Promise.all(pushing);
        return body();
      });
      gate = closed.catch(() => undefined);
      return closed;
    },
  };
}

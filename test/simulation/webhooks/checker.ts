import { canonicalJson } from '../../../src/core/canonical-json.ts';
import { isWritError } from '../../../src/core/errors.ts';
import { planSubject } from '../../../src/core/notice-subject.ts';
import type { PendingNotice, WebhookOutbox } from '../../../src/core/ports/index.ts';
import { createResultReader, fixedKeyring, type SigningKey, verifyPlanEnd, verifyResult } from '../../../src/lease/index.ts';
import { outcomeForNotice } from '../../../src/surfaces/shared/webhooks.ts';
import { noticeId } from '../../../src/webhooks/notice/notice.ts';
import { gatewayFor } from '../gateway.ts';
import type { Parts } from '../parts.ts';
import { planRecord } from '../plan-record.ts';
import type { PlanTicket } from '../plan-tickets.ts';
import type { SimWebhooks } from '../scenario.ts';
import type { SimProcess } from '../scheduler.ts';
import { EXECUTOR_KEY, type Ticket } from '../tasks.ts';
import { cheapEd25519 } from '../twins/crypto.ts';
import { type OutboxFile, ROOMS } from './outbox.ts';
import { NO_PLANS, type PlanEndsTwin } from './plan-ends.ts';
import type { ReceiverTwin } from './receiver.ts';
import type { TaskIndexTwin } from './task-index.ts';

const EXECUTORS = { keyring: fixedKeyring([EXECUTOR_KEY]), ed25519: cheapEd25519 };
const AT_ONCE = 4;
const MIN_ATTEMPTS = 10;
const ALL = 1_000;

interface Watched {
  /** What is on disk, whoever lives. */
  readonly file: OutboxFile;
  readonly receiver: ReceiverTwin;
  readonly room: SimWebhooks['room'];
  readonly index: TaskIndexTwin;
  readonly plans: PlanEndsTwin | undefined;
  readonly key: SigningKey;
}

/** Beside the API: sees what is written into the outbox, and what receivers were sent and have said (docs/webhooks.md). */
export class WebhookWatch {
  readonly #parts: Parts;
  readonly #at: Watched;
  readonly #wished = new Set<string>();
  readonly #underWay = new Map<string, number>();
  #resent = false;
  #servedAt: number | undefined;

  constructor(parts: Parts, at: Watched) {
    this.#parts = parts;
    this.#at = at;
  }

  get #rows() {
    return this.#at.file.statements.list({}, undefined, ALL).notices;
  }

  /** Rows that were forgotten because there were too many, or because they were over for too long by the API's clock. */
  get #forgotten(): number {
    return this.#at.file.trimmed.rows;
  }

  get pending(): number {
    return this.#at.file.statements.counts().reduce((sum, { state, notices }) => sum + (state === 'pending' ? notices : 0), 0);
  }

  /** The outbox of one process, watched. */
  outbox(inner: WebhookOutbox): WebhookOutbox {
    const { reached } = this.#parts;
    return {
      ...inner,
      add: async (notices, place, now) => {
        const before = this.#bare;
        const done = await inner.add(notices, place, now);
        this.#bounds();
        const bare = this.#bare - before;
        if (done.added > bare) reached.add(place === undefined ? 'notice:on-wish' : 'notice:noted');
        if (bare > 0) reached.add('notice:no-room');
        if (done.dropped > bare) reached.add('notice:text-dropped');
        return done;
      },
      settle: async (seq, change, now) => {
        await inner.settle(seq, change, now);
        if (change.state === 'delivered') reached.add('notice:delivered');
      },
      resend: async (which, now) => {
        const resent = await inner.resend(which, now);
        if (resent > 0) reached.add('notice:resent');
        return resent;
      },
      restore: async (id, body, now) => {
        const isDue = await inner.restore(id, body, now);
        this.#bounds();
        if (isDue) reached.add('notice:restored');
        return isDue;
      },
      lose: async (id, problem) => {
        await inner.lose(id, problem);
        reached.add('notice:lost');
      },
      trim: async (before, now, limit) => {
        const isSurplus = this.#rows.length > ROOMS[this.#at.room].maxNotices;
        const done = await inner.trim(before, now, limit);
        if (done.trimmed > 0) reached.add(isSurplus ? 'notice:surplus' : 'notice:kept-over');
        return done;
      },
    };
  }

  /** Rows that came when there was no room. */
  get #bare(): number {
    if (this.#at.room !== 'narrow') return 0;
    return this.#rows.filter(({ problem = '' }) => problem.includes('no room')).length;
  }

  onWish(taskId: string): void {
    this.#wished.add(taskId);
  }

  /** The push that wished it is answered: the id is another manifest's, of which he is told nothing. An earlier push may have been taken. */
  onRefused(taskId: string, wasWished: boolean): void {
    if (!wasWished) this.#wished.delete(taskId);
  }

  isWished(taskId: string): boolean {
    return this.#wished.has(taskId);
  }

  /** The API serves: what ends from now on is told. */
  onServed(): void {
    this.#servedAt ??= this.#parts.world.now;
  }

  onResend(): void {
    this.#resent = true;
  }

  onStuck(): void {
    const left = this.#rows.filter(({ state }) => state === 'pending').map(({ id, endpoint, attempts }) => `${id.slice(0, 12)} for ${endpoint} (${attempts})`);
    this.#parts.checker.violate('everything ends', `notices are still pending: ${left.join(', ')}`);
  }

  /** A notice is about to be sent; answers what is told when the attempt is over. */
  onAttempt(endpoint: string, notice: PendingNotice, process: SimProcess): () => void {
    const { checker } = this.#parts;
    const key = `${process.name} ${endpoint}`;
    const now = (this.#underWay.get(key) ?? 0) + 1;
    this.#underWay.set(key, now);
    if (now > AT_ONCE) checker.violate('notices have their bounds', `${now} notices of ${endpoint} are under way at once`);
    const { due } = this.#at.file.statements;
    // Asked far in the future: all that is pending, of a task the first.
    const first = due(endpoint, Number.MAX_SAFE_INTEGER / 2, 0, ALL).notices.find(({ taskId }) => taskId === notice.taskId);
    if (first !== undefined && first.seq < notice.seq && !this.#resent)
      checker.violate('notices have an order', `${notice.taskId}: notice ${notice.seq} of ${endpoint} was sent before ${first.seq} was delivered`);
    return () => void this.#underWay.set(key, (this.#underWay.get(key) ?? 1) - 1);
  }

  /** Dead ones say why, and delivered ones were taken. */
  async judgeRows(): Promise<void> {
    const { checker, reached } = this.#parts;
    for (const { id, state, problem = '', attempts } of this.#rows) {
      const name = `notice ${id.slice(0, 12)}`;
      if (state === 'delivered' && !this.#at.receiver.taken.has(id))
        checker.violate('a notice is delivered at least once', `${name} is delivered, and nobody has taken it`);
      if (state !== 'dead') continue;
      const why =
        problem.includes('410') && this.#at.receiver.gone.has(id)
          ? 'gone'
          : problem.includes('no room')
            ? 'no-room'
            : attempts >= MIN_ATTEMPTS
              ? 'given-up'
              : 'early';
      if (why !== 'early') reached.add(`notice:${why}`);
      if (why === 'early')
        checker.violate('a notice is delivered at least once', `${name} is dead after ${attempts} attempts: ${problem || 'it does not say why'}`);
    }
  }

  /** After all dead ones were sent again, only those are dead whose result is gone or for which there is no room. */
  async judgeResent(isDone: boolean): Promise<void> {
    const { checker, reached } = this.#parts;
    reached.add('webhooks:resent');
    if (!isDone) checker.violate('everything ends', 'nobody could send dead notices again');
    for (const { id, state, problem = '' } of this.#rows) {
      // One that was given up, and whose text is dropped for want of room, goes on saying why it was given up.
      if (state === 'dead' && this.#at.room !== 'narrow' && !/not kept any more|no room/.test(problem))
        checker.violate('everything ends', `notice ${id.slice(0, 12)} was sent again, and is dead: ${problem}`);
    }
  }

  /** When everything is settled. */
  async judge(ask: <T>(work: (process: SimProcess) => Promise<T>) => Promise<T | undefined>): Promise<void> {
    const { tickets } = this.#parts;
    await this.#judgeReceived();
    for (const ticket of tickets) await this.#judgeTold(ticket, ask);
    if (this.#at.plans !== undefined) for (const ticket of this.#parts.plans) this.#judgePlan(ticket, this.#at.plans);
  }

  /** Whoever wants to be told of a plan is told of its last end, also where Redis has forgotten it: the journal lies on this host. */
  #judgePlan({ planSha256, index }: PlanTicket, plans: PlanEndsTwin): void {
    const { checker, host, reached } = this.#parts;
    const end = planRecord(host.stores, planSha256)?.end;
    if (end === undefined) return;
    if ((plans.endedAt.get(planSha256) ?? 0) < (this.#servedAt ?? Number.POSITIVE_INFINITY)) return;
    const subject = planSubject(planSha256);
    const isWished = this.#wished.has(subject);
    for (const endpoint of ['all', ...(isWished ? ['wish'] : [])]) {
      const id = noticeId(endpoint, { taskId: subject, result: end.result });
      const isThere = this.#rows.some((row) => row.id === id) || this.#at.receiver.taken.has(id);
      if (!isThere && this.#forgotten === 0) checker.violate('a notice is delivered at least once', `${endpoint} was not told of the end of plan-${index}`);
      if (isThere) reached.add(`notice:plan-${end.status.toLowerCase()}`);
    }
    const told = this.#rows.filter((row) => row.plan_id === planSha256);
    if (told.filter(({ endpoint }) => endpoint === 'all').length > 1) reached.add('notice:plan-again');
    if (!isWished && told.some(({ endpoint }) => endpoint === 'wish')) checker.violate('nothing is invented', `plan-${index} was told, and nobody wished it`);
  }

  /** Whoever wants to be told of a task is told of its last end, or there is a dead row. */
  async #judgeTold(ticket: Ticket, ask: <T>(work: (process: SimProcess) => Promise<T>) => Promise<T | undefined>): Promise<void> {
    const { checker } = this.#parts;
    const { id: taskId, manifest } = ticket;
    const finished = await ask((process) => {
      const gateway = gatewayFor(this.#parts, process, createResultReader(EXECUTORS));
      return outcomeForNotice({ taskId, capabilityId: manifest.capability_id, at: 0 }, { tasks: gateway, plans: NO_PLANS }).catch((error: unknown) => {
        if (!isWritError(error)) throw error;
        return undefined;
      });
    });
    // Redis forgot the end before the index had heard of it: it is told when the task is looked at again.
    const { index } = this.#at;
    if (finished === undefined || finished === 'forgotten' || index.unheard.has(taskId)) return;
    if ((index.endedAt.get(taskId) ?? 0) < (this.#servedAt ?? Number.POSITIVE_INFINITY)) return;
    // Who wishes to be told wishes it of his own manifest; under a forged row another one may have run first.
    const isOwn = finished.manifestSha256 === ticket.lease.manifest_sha256;
    const told = ['all', ...(isOwn && this.#wished.has(taskId) ? ['wish'] : [])];
    for (const endpoint of told) {
      const id = noticeId(endpoint, finished);
      const isThere = this.#rows.some((row) => row.id === id) || this.#at.receiver.taken.has(id);
      if (!isThere && this.#forgotten === 0) checker.violate('a notice is delivered at least once', `${endpoint} was not told of the end of ${taskId}`);
    }
    if (this.#wished.has(taskId)) return;
    if (this.#rows.some((row) => row.endpoint === 'wish' && row.task_id === taskId))
      checker.violate('nothing is invented', `${taskId} was told, and nobody wished it`);
  }

  /** The same id brings the same text, the text has the signed result, and the signature is the host's. */
  async #judgeReceived(): Promise<void> {
    const { checker, tickets, reached } = this.#parts;
    const texts = new Map<string, string>();
    for (const { id, endpoint, body, headers, sentAt } of this.#at.receiver.received) {
      const name = `notice ${id.slice(0, 12)}`;
      if (texts.has(id)) reached.add('notice:repeated');
      // Whoever has forgotten a notice and meets its outcome again tells another time of its end.
      const text = this.#forgotten > 0 ? body.replace(/"timestamp":"[^"]*"/, '') : body;
      if ((texts.get(id) ?? text) !== text) checker.violate('a notice never changes', `${name} came with another text`);
      texts.set(id, text);
      const { data } = JSON.parse(body) as {
        readonly data: {
          readonly task_id: string;
          readonly plan_id?: string;
          readonly manifest_sha256: string;
          readonly capability_id: string;
          readonly result: object;
        };
      };
      await this.#judgeSigned(name, { id, body, headers, sentAt });
      if (data.plan_id !== undefined) {
        const genuine = await verifyPlanEnd(JSON.stringify(data.result), data.plan_id, EXECUTORS);
        if (!genuine.ok) checker.violate('results verify', `${name}: ${genuine.message}`);
        continue;
      }
      const ends = checker.signed(data.task_id, this.#parts.host.stores).map(({ result }) => result);
      const result = ends.find((one) => canonicalJson(JSON.parse(one) as object) === canonicalJson(data.result));
      if (result !== undefined && noticeId(endpoint, { taskId: data.task_id, result }) !== id)
        checker.violate('a notice never changes', `${name} has the id of another`);
      const subject = { taskId: data.task_id, capabilityId: data.capability_id, manifestSha256: data.manifest_sha256 };
      const verified = await verifyResult(JSON.stringify(data.result), subject, EXECUTORS);
      const isOurs = tickets.some((ticket) => ticket.id === data.task_id);
      if (isOurs && !verified.ok) checker.violate('results verify', `${name}: ${verified.message}`);
    }
  }

  async #judgeSigned(name: string, { id, body, headers, sentAt }: Pick<ReceiverTwin['received'][number], 'id' | 'body' | 'headers' | 'sentAt'>): Promise<void> {
    const timestamp = headers['webhook-timestamp'] ?? '';
    const signature = Buffer.from(headers['webhook-signature']?.replace('v1a,', '') ?? '', 'base64');
    const isSigned = await cheapEd25519.verify(Buffer.from(`${id}.${timestamp}.${body}`), signature, this.#at.key.publicKey);
    if (isSigned && Math.abs(Number(timestamp) * 1000 - sentAt) <= 2_000) return;
    this.#parts.checker.violate('results verify', `${name} is not signed for ${timestamp}`);
  }

  #bounds(): void {
    const { checker } = this.#parts;
    const { endpointBytes } = ROOMS[this.#at.room];
    const bytes = new Map<string, number>();
    for (const one of this.#at.file.statements.counts()) bytes.set(one.endpoint, (bytes.get(one.endpoint) ?? 0) + one.bytes);
    for (const [endpoint, held] of bytes) if (held > endpointBytes) checker.violate('notices have their bounds', `texts of ${endpoint} take ${held} bytes`);
  }
}

import type { z } from 'zod';
import { BOUNDS, type TaskManifest } from '../contracts/index.ts';
import { isWritError, WritError } from '../core/errors.ts';
import type {
  ApprovalDesk,
  Grant,
  Grantable,
  GrantedLease,
  GrantOptions,
  IssueAnswer,
  IssueRefusal,
  IssueRequest,
  Judgement,
  KernelClient,
  KernelOperations,
  LeaseTerms,
  ScheduleDesk,
} from '../core/ports/index.ts';
import { approvalDesk } from './approvals/client.ts';
import { createKernelCalls } from './client-http.ts';
import { scheduleDesk } from './schedules/client.ts';
import {
  type Granted,
  GrantedManifest,
  HealthReply,
  IssueReply,
  JudgeReply,
  KeysReply,
  ManifestReply,
  PlanLeaseReply,
  RevokeReply,
  Granted as WireGranted,
} from './wire.ts';

type WireRefusal = Extract<z.infer<typeof IssueReply>['answers'][number], { ok: false }>;

export interface KernelConnection extends KernelOperations {
  /** `issue` for one manifest; its refusal is thrown. */
  issueOne(request: IssueRequest, options?: GrantOptions): Promise<GrantedLease>;
  /** The schedules, in somebody's name. */
  schedules(by: string): ScheduleDesk;
  /** The approvals, in somebody's name. */
  approvals(by: string): ApprovalDesk;
  /** Closes idle connections; calls that run end by themselves. */
  close(): void;
}

export interface KernelConnectionOptions {
  readonly timeoutMs?: number;
}

/**
 * The kernel over its unix socket, with connections kept alive. Refusals arrive as the WritErrors that the kernel threw;
 * nobody there, or no answer in time, is WritError KERNEL_UNAVAILABLE.
 */
export function createKernelConnection(socketPath: string, { timeoutMs = 10_000 }: KernelConnectionOptions = {}): KernelConnection {
  const { call, close } = createKernelCalls(socketPath, timeoutMs);
  async function grants(path: string, tasks: readonly object[], options: GrantOptions): Promise<readonly IssueAnswer[]> {
    const answers: IssueAnswer[] = [];
    for (const part of inParts(tasks)) {
      const reply = await call(IssueReply, 'POST', path, { tasks: part, ...wireOptions(options) });
      answers.push(...reply.answers.map((answer): IssueAnswer => (answer.ok ? { ok: true, ...granted(answer) } : refusal(answer))));
    }
    return answers;
  }
  const client: KernelConnection = {
    async issue(requests, options = {}) {
      const tasks = requests.map(({ manifest, confirmedBy }) => ({ manifest, confirmed_by: confirmedBy }));
      return grants('/issue', tasks, options);
    },
    async judge(requests, options = {}) {
      const tasks = requests.map(({ manifest, confirmedBy }) => ({ manifest, confirmed_by: confirmedBy }));
      const answers: (IssueRefusal | Grantable)[] = [];
      for (const part of inParts(tasks)) {
        const reply = await call(JudgeReply, 'POST', '/judge', { tasks: part, ...wireOptions(options) });
        answers.push(...reply.answers.map((answer) => (answer.ok ? answer : refusal(answer))));
      }
      return answers;
    },
    async issueOne(request, options) {
      const [answer] = await client.issue([request], options);
      if (answer?.ok) return answer;
      throw new WritError(
        answer?.code ?? 'INTERNAL',
        answer?.message ?? 'the kernel gave no answer',
        answer?.field === undefined ? {} : { field: answer.field },
      );
    },
    regrant: async (request, options = {}) => granted(await call(WireGranted, 'POST', '/regrant', { ...request, ...options })),
    regrantMany: (requests, options = {}) => grants('/regrant-many', requests, options),
    async undo({ manifest, result, earlierUndos }, options = {}) {
      const reply = await call(GrantedManifest, 'POST', '/undo', { manifest, result, earlier_undos: earlierUndos, ...options });
      return { manifest: reply.manifest, ...granted(reply) };
    },
    async issuePlan(request, options = {}) {
      const { plan_sha256, ...granted } = await call(PlanLeaseReply, 'POST', '/plan-lease', { ...request, ...wireOptions(options) });
      return { planSha256: plan_sha256, ...granted };
    },
    revoke: (request) => call(RevokeReply, 'POST', '/revoke', request),
    async leasedManifest(taskId) {
      try {
        return (await call(ManifestReply, 'GET', `/manifests/${encodeURIComponent(taskId)}`)).manifest;
      } catch (error) {
        if (isWritError(error) && error.code === 'NOT_FOUND') return undefined;
        throw error;
      }
    },
    keys: () => call(KeysReply, 'GET', '/keys'),
    async health() {
      const { issuer, kid, revocations } = await call(HealthReply, 'GET', '/health');
      const { number, published, problem } = revocations;
      return { issuer, kid, revocations: problem === undefined ? { number, published } : { number, published, problem } };
    },
    schedules: (by) => scheduleDesk({ call }, by),
    approvals: (by) => approvalDesk({ call }, by),
    close,
  };
  return client;
}

/** A lease as the wire has it. */
export function granted({ task_id, manifest_sha256, lease, jti, exp }: z.infer<typeof Granted>): GrantedLease {
  return { taskId: task_id, manifestSha256: manifest_sha256, lease, jti, exp };
}

function wireOptions({ notBefore, ...options }: GrantOptions): object {
  return { ...options, ...(notBefore === undefined ? {} : { not_before: notBefore }) };
}

function refusal({ code, message, field }: WireRefusal): IssueRefusal {
  return field === undefined ? { ok: false, code, message } : { ok: false, code, message, field };
}

/**
 * The kernel as surfaces ask it, in the name of one person or program.
 *
 * @param by who asks, for the kernel's audit log
 */
export function kernelClient(connection: KernelConnection, by: string): KernelClient {
  const options = ({ ttlS, notBeforeS }: LeaseTerms) => ({
    by,
    ...(ttlS === undefined ? {} : { ttl: ttlS }),
    ...(notBeforeS === undefined ? {} : { notBefore: notBeforeS }),
  });
  return {
    async issue(manifests, terms) {
      return (await connection.issue(requestsOf(manifests, terms), options(terms))).map(grantOf);
    },
    judge: async (manifests, terms) =>
      (await connection.judge(requestsOf(manifests, terms), options(terms))).map(
        (answer): Judgement => (answer.ok ? { kind: 'grantable', ...(answer.aud === undefined ? {} : { queue: answer.aud }) } : refusedBy(answer)),
      ),
    issuePlan: (envelope, { capabilities, scopes, renews, ...terms }) =>
      connection.issuePlan(
        { envelope, ...(capabilities && { capabilities }), ...(scopes && { scopes }), ...(renews === undefined ? {} : { renews }) },
        options(terms),
      ),
    regrant: async (failed, terms) =>
      (
        await connection.regrantMany(
          failed.map(({ manifest, failure }) => ({ manifest, result: failure })),
          options(terms),
        )
      ).map(grantOf),
    async undo({ manifest, success, earlierUndos }) {
      const undo = await connection.undo({ manifest, result: success, earlierUndos }, { by });
      return { v: 1, manifest: undo.manifest, lease: undo.lease };
    },
    revoke: (lease) => connection.revoke(typeof lease === 'string' ? { lease, by } : { ...lease, by }),
    leasedManifest: (taskId) => connection.leasedManifest(taskId),
    schedules: connection.schedules(by),
    approvals: connection.approvals(by),
    async ping() {
      const { revocations } = await connection.health();
      if (revocations.problem !== undefined) throw new WritError('KERNEL_UNAVAILABLE', `the kernel answers, but ${revocations.problem}`);
    },
  };
}

function grantOf(answer: IssueAnswer): Grant {
  return answer.ok ? { kind: 'granted', lease: answer.lease } : refusedBy(answer);
}

function requestsOf(manifests: readonly TaskManifest[], { confirmedBy }: LeaseTerms): readonly IssueRequest[] {
  return manifests.map((manifest) => ({ manifest, ...(confirmedBy === undefined ? {} : { confirmedBy }) }));
}

function refusedBy({ code, message, field }: IssueRefusal): Extract<Grant, { readonly kind: 'refused' }> {
  return { kind: 'refused', code, message, ...(field === undefined ? {} : { field }) };
}

/** Room for the other fields of a request, and for white space that nobody writes. */
const ROOM_BYTES = 64 * 1024;

/** Requests that the kernel takes: a batch of large manifests would be refused as a whole. One manifest always fits. */
function inParts<T extends object>(tasks: readonly T[]): readonly (readonly T[])[] {
  const parts: T[][] = [[]];
  let room = BOUNDS.kernelBody - ROOM_BYTES;
  for (const task of tasks) {
    const bytes = Buffer.byteLength(JSON.stringify(task)) + 1;
    if (bytes > room) {
      parts.push([]);
      room = BOUNDS.kernelBody - ROOM_BYTES;
    }
    room -= bytes;
    parts.at(-1)?.push(task);
  }
  return parts.filter((part, at) => at === 0 || part.length > 0);
}

import { type ExecutionResult, PLAN_CAPABILITY, TaskManifest } from '../contracts/index.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { isWritError, WritError } from '../core/errors.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { PlanStep } from '../core/plan-step.ts';
import type {
  GrantedLease,
  GrantOptions,
  IssueAnswer,
  IssuedTask,
  IssueRequest,
  KernelOperations,
  PlanKernel,
  PlanLeaseRequest,
  QuestionKernel,
  RegrantRequest,
} from '../core/ports/index.ts';
import { undoManifest } from '../core/undo-manifest.ts';
import { toPublicJwk, verifyResult } from '../lease/index.ts';
import { askedBy } from './approvals/questions.ts';
import { createDerivation } from './derive.ts';
import {
  type CheckedManifest,
  checkPolicy,
  checkShape,
  confirmed,
  conflict,
  createIssueLog,
  type Draft,
  type Lifetime,
  lifetime,
  sign,
  type Unsigned,
  unsigned,
} from './grant.ts';
import type { KernelOptions } from './options.ts';
import { judgePlan, planTaskId, preparePlanLease } from './plan-lease.ts';
import { createRevocationLog } from './revocations.ts';
import { checkFiring } from './schedules/check-firing.ts';

export interface Kernel extends KernelOperations, PlanKernel, QuestionKernel, Lifecycle {
  /** Whether a plan might have such a lease; nothing is signed. Throws as `issuePlan`. */
  judgePlan(request: PlanLeaseRequest, options?: GrantOptions): void;
}

const MAX_ISSUE_BATCH = 500;

/**
 * The kernel: the only holder of the signing key. It signs a lease for exactly one manifest, remembers which manifest a
 * task id belongs to, and never signs a second one for it. `start` publishes the revocations that the feed lacks.
 */
export function createKernel(options: KernelOptions): Kernel {
  const { store, clock, config, key, kernelKeyring, executorKeyring, ed25519, plans, approvals } = options;
  const derivation = plans && createDerivation(plans, options);
  const record = createIssueLog(store, clock);
  const revocations = createRevocationLog(options);

  function judge(request: IssueRequest, life: Lifetime, by: string | undefined): Unsigned | Refusal {
    return orRefusal(() => {
      const checked = checkShape(request.manifest);
      checkPolicy(checked.manifest);
      checkFiring(checked, options);
      return unsigned(confirmed(store, checked, request.confirmedBy, by), life, options);
    });
  }

  /** Signs a lease that rests on an executor's result, and records it with its audit row. */
  async function grant(draft: Draft, grantOptions: GrantOptions, signer: Pick<KernelOptions, 'ed25519'> = options): Promise<GrantedLease> {
    const [prepared] = await sign([unsigned(draft, lifetime(grantOptions, options), options)], { ...options, ed25519: signer.ed25519 });
    if (prepared === undefined) throw new WritError('INTERNAL', 'nothing was signed');
    const [answer] = await record([prepared.entry]);
    if (answer !== 'recorded') throw conflict();
    return prepared.granted;
  }

  /** A manifest that this kernel has leased, and the executor's verified answer to it. */
  async function evidence(request: RegrantRequest): Promise<Evidence> {
    const checked = checkShape(request.manifest);
    const { manifest, manifestSha256 } = checked;
    // Executors also sign refusals of forged jobs, so a signed result alone does not show that the task was ever allowed.
    const issued = store.issued(manifest.task_id);
    if (issued === undefined) throw new WritError('NOT_FOUND', 'this kernel has issued no lease for the task', { field: 'task_id' });
    if (issued.manifestSha256 !== manifestSha256) throw conflict();
    const subject = { taskId: manifest.task_id, capabilityId: manifest.capability_id, manifestSha256 };
    const verified = await verifyResult(request.result, subject, { keyring: executorKeyring, ed25519 });
    if (!verified.ok)
      throw new WritError('INVALID_RESULT', `the result is not an executor's answer to this manifest: ${verified.message}`, { field: 'result' });
    return { checked, issued, result: verified.result };
  }

  /** What a new lease for a failed task is signed on. */
  function renewal({ checked, issued, result }: Evidence, by: string | undefined): Draft {
    if (result.status !== 'FAILURE') throw new WritError('WRONG_STATE', 'only a task that ended in FAILURE gets a new lease');
    if (result.error.error_code === 'INVALID_LEASE')
      throw new WritError('LEASE_REFUSED', 'the task was refused for its lease, and a refused lease is not renewed');
    if (store.revocation(issued.jti)) throw new WritError('LEASE_REFUSED', "the task's lease was revoked, and a revoked lease is not renewed");
    const { task_id } = checked.manifest;
    const details = { manifest_sha256: checked.manifestSha256, failed_with: result.error.error_code };
    return { ...checked, confirmedBy: issued.confirmedBy, audit: { action: 'regrant', taskId: task_id, by, details } };
  }

  /** Signs and records what was not refused, together; an answer for each, in order. */
  async function grantMany(judged: readonly (Unsigned | Refusal)[]): Promise<readonly IssueAnswer[]> {
    const asked = judged.filter(isUnsigned);
    const recorded = await record(asked.map(({ entry }) => entry));
    // Recorded first: what lost its id to another manifest is no part of what is signed together.
    const signed = await sign(
      asked.filter((_, at) => recorded[at] === 'recorded'),
      options,
    );
    const granted = new Map(signed.map((lease) => [lease.entry, lease.granted]));
    return judged.map((item): IssueAnswer => {
      if (!isUnsigned(item)) return item;
      const lease = granted.get(item.entry);
      return lease === undefined ? refusal(conflict()) : { ok: true, ...lease };
    });
  }

  /** A step that takes a task back is exactly what `undo` would sign for, on the same evidence. */
  async function assertUndo({ undo, manifest: { capability_id, inputs, constraints }, path }: PlanStep): Promise<void> {
    if (undo === undefined) return;
    const text = store.manifest(undo.task_id);
    if (text === undefined) throw new WritError('LEASE_REFUSED', `${path} takes back a task that this kernel has leased no manifest for`);
    const { checked, result } = await evidence({ manifest: JSON.parse(text), result: undo.success });
    const exact = undoManifest(checked.manifest, result, 0);
    if (canonicalJson([exact.capability_id, exact.inputs, exact.constraints]) !== canonicalJson([capability_id, inputs, constraints]))
      throw new WritError('LEASE_REFUSED', `${path} is not exactly what takes ${undo.task_id} back`);
  }

  const kernel: Kernel = {
    async issue(requests, grantOptions = {}) {
      assertBatch(requests);
      const life = lifetime(grantOptions, options);
      return grantMany(requests.map((request) => judge(request, life, grantOptions.by)));
    },

    async judge(requests, grantOptions = {}) {
      assertBatch(requests);
      const life = lifetime(grantOptions, options);
      return requests.map((request) => {
        const judged = judge(request, life, grantOptions.by);
        if (!isUnsigned(judged)) return judged;
        const { taskId, manifestSha256 } = judged.entry;
        const issued = store.issued(taskId);
        return issued === undefined || issued.manifestSha256 === manifestSha256 ? { ok: true, aud: judged.payload.aud } : refusal(conflict());
      });
    },

    async regrant(request, grantOptions = {}) {
      return grant(renewal(await evidence(request), grantOptions.by), grantOptions);
    },

    async regrantMany(requests, grantOptions = {}) {
      assertBatch(requests);
      const life = lifetime(grantOptions, options);
      const seen = await Promise.allSettled(requests.map(evidence));
      return grantMany(
        // All evidence is in: what was revoked meanwhile is refused.
        seen.map((one) => orRefusal(() => unsigned(renewal(evidenceOf(one), grantOptions.by), life, options))),
      );
    },

    async undo({ earlierUndos, ...request }, grantOptions = {}) {
      if (!Number.isSafeInteger(earlierUndos) || earlierUndos < 0)
        throw new WritError('INVALID_ARGUMENT', 'earlier_undos counts from 0', { field: 'earlier_undos' });
      const { checked, result } = await evidence(request);
      const manifest: TaskManifest = undoManifest(checked.manifest, result, earlierUndos);
      const details = { undo_of: checked.manifest.task_id, earlier_undos: earlierUndos };
      const draft: Draft = {
        ...checkShape(manifest),
        confirmedBy: undefined,
        audit: { action: 'undo', taskId: manifest.task_id, by: grantOptions.by, details },
      };
      return { manifest, ...(await grant(draft, grantOptions)) };
    },

    async issuePlan(request, grantOptions = {}) {
      if (plans === undefined) throw noPlans();
      const { granted, audit } = await preparePlanLease(request, grantOptions, plans, options);
      const { planSha256, jti } = granted;
      const issued = {
        taskId: planTaskId(planSha256),
        manifestSha256: planSha256,
        capabilityId: PLAN_CAPABILITY,
        jti,
        confirmedBy: undefined,
        audit,
      };
      const [answer] = await record([issued]);
      if (answer !== 'recorded') throw conflict();
      return granted;
    },

    judgePlan(request, grantOptions = {}) {
      if (plans === undefined) throw noPlans();
      judgePlan(request, grantOptions, plans, options);
    },

    async derive(request) {
      if (plans === undefined || derivation === undefined) throw noPlans();
      const { step, planExp } = await derivation(request);
      const { manifest } = step;
      if (step.approval !== undefined) throw new WritError('LEASE_REFUSED', `${step.path} waits for somebody's word, for which there is no lease`);
      const left = planExp - Math.floor(clock.now() / 1000);
      await assertUndo(step);
      checkPolicy(manifest, step.undo?.task_id);
      const draft = confirmed(store, checkShape(manifest), undefined, undefined);
      return { manifest, ...(await grant(draft, { ttl: Math.max(1, Math.min(config.ttl, left)) }, plans)) };
    },

    async askApproval(request) {
      if (derivation === undefined || approvals === undefined) throw new WritError('LEASE_REFUSED', 'this kernel keeps no approvals');
      return askedBy((await derivation(request)).step, request.planSha256, approvals, clock);
    },

    revoke: revocations.revoke,
    async leasedManifest(taskId) {
      const text = store.manifest(taskId);
      return text === undefined ? undefined : TaskManifest.parse(JSON.parse(text));
    },
    keys: async () => ({ keys: (await kernelKeyring.all()).map(toPublicJwk) }),
    health: async () => ({ issuer: config.issuer, kid: key.kid, revocations: revocations.health() }),
    start: revocations.start,
    stop: revocations.stop,
    [Symbol.asyncDispose]: revocations.stop,
  };
  return kernel;
}

function noPlans(): WritError {
  return new WritError('LEASE_REFUSED', 'this kernel signs no plans');
}

type Refusal = Extract<IssueAnswer, { ok: false }>;

/** A WritError as the answer to one manifest of a batch; anything else is a fault and goes on. */
function refusal(error: unknown): Refusal {
  if (!isWritError(error)) throw error;
  return { ok: false, code: error.code, message: error.message, ...(error.field === undefined ? {} : { field: error.field }) };
}

function orRefusal(work: () => Unsigned): Unsigned | Refusal {
  try {
    return work();
  } catch (error) {
    return refusal(error);
  }
}

/** A manifest that this kernel has leased, and what became of it. */
interface Evidence {
  readonly checked: CheckedManifest;
  readonly issued: IssuedTask;
  readonly result: ExecutionResult;
}

function evidenceOf(seen: PromiseSettledResult<Evidence>): Evidence {
  if (seen.status === 'rejected') throw seen.reason;
  return seen.value;
}

function assertBatch({ length }: readonly unknown[]): void {
  if (length > MAX_ISSUE_BATCH) throw new WritError('INVALID_ARGUMENT', `at most ${MAX_ISSUE_BATCH} manifests a call`, { field: 'tasks' });
}

function isUnsigned(item: Unsigned | Refusal): item is Unsigned {
  return 'entry' in item;
}

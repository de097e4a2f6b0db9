import type { Clock } from '../../../src/core/clock.ts';
import type {
  ApprovalStore,
  AuditEntry,
  Bindings,
  DerivedLease,
  DeriveRequest,
  IssuedTask,
  IssueEntry,
  KernelStore,
  QuestionKernel,
  ScheduleStore,
  StoredApproval,
  StoredRevocation,
} from '../../../src/core/ports/index.ts';
import { planLogic } from '../../../src/executors/plan/index.ts';
import { createKernel, type Kernel } from '../../../src/kernel/index.ts';
import { fixedKeyring } from '../../../src/lease/index.ts';
import { EPOCH_MS } from '../scheduler.ts';
import { EXECUTOR_KEY, ISSUER, KERNEL_KEY, TOOL_QUEUE } from '../tasks.ts';
import type { World } from '../world.ts';
import { cheapEd25519 } from './crypto.ts';

export const PLAN_QUEUE = 'plan';

/** The real kernel on records in memory; it can be restarted, and then knows only its records. */
export class KernelTwin {
  #kernel: Kernel | undefined;
  readonly #store = storeTwin();
  readonly #bindings: Bindings;
  #ids = 0;
  /** Where the kernel keeps schedules; only in histories that have one. */
  schedules: ScheduleStore | undefined;
  /** Where the kernel keeps questions; only in histories whose plans ask. */
  approvals: ApprovalStore | undefined;
  /** What answers questions of plans; a mutant of it, too. */
  questions: (kernel: Kernel) => QuestionKernel = (kernel) => kernel;
  /** Told of each lease for a step of a plan. */
  onDerived: (lease: DerivedLease) => void = () => undefined;
  /** Told where a question stands that a plan has asked. */
  onAsked: (request: DeriveRequest, row: StoredApproval) => Promise<void> = async () => undefined;
  readonly clock: Clock;
  /** What its machine's clock is wrong by, milliseconds. */
  skewMs = 0;

  constructor(world: World, bindings: Bindings) {
    this.#bindings = bindings;
    this.clock = { now: () => Math.floor(EPOCH_MS + world.now + this.skewMs), monotonic: () => world.now };
  }

  /** Started when somebody asks: most histories have no plan. */
  get kernel(): Kernel {
    this.#kernel ??= this.#start();
    return this.#kernel;
  }

  /** As the plan role asks it. */
  async derive(request: DeriveRequest): Promise<DerivedLease> {
    const lease = await this.kernel.derive(request);
    this.onDerived(lease);
    return lease;
  }

  /** As the plan role asks it. */
  async askApproval(request: DeriveRequest): Promise<StoredApproval> {
    const row = await this.questions(this.kernel).askApproval(request);
    await this.onAsked(request, row);
    return row;
  }

  restart(): void {
    this.#kernel = undefined;
  }

  #start(): Kernel {
    return createKernel({
      store: this.#store,
      ...(this.schedules === undefined ? {} : { schedules: this.schedules }),
      ...(this.approvals === undefined ? {} : { approvals: this.approvals }),
      key: KERNEL_KEY,
      kernelKeyring: fixedKeyring([KERNEL_KEY]),
      executorKeyring: fixedKeyring([EXECUTOR_KEY]),
      ed25519: cheapEd25519,
      config: { issuer: ISSUER, ttl: 3600, maxTtl: 86_400, audienceOf: ({ capability_id: capability }) => (capability === 'TOOL_CALL' ? TOOL_QUEUE : 'file') },
      clock: this.clock,
      plans: { logic: planLogic, bindings: this.#bindings, ed25519: cheapEd25519, queue: PLAN_QUEUE },
      randomId: () => {
        this.#ids += 1;
        return `kernel-lease-${this.#ids}`;
      },
    });
  }
}

/** The kernel's records. */
function storeTwin(): KernelStore {
  const issued = new Map<string, IssuedTask & { readonly manifest: string | undefined }>();
  const revocations: StoredRevocation[] = [];
  const rows: (AuditEntry & { readonly id: number; readonly at: number })[] = [];
  const issue = ({ taskId, manifestSha256, jti, confirmedBy, manifest }: IssueEntry): 'recorded' | 'conflict' => {
    const known = issued.get(taskId);
    if (known !== undefined && known.manifestSha256 !== manifestSha256) return 'conflict';
    issued.set(taskId, { manifestSha256, jti, confirmedBy: known?.confirmedBy ?? confirmedBy, manifest: known?.manifest ?? manifest });
    return 'recorded';
  };
  return {
    issued: (taskId) => issued.get(taskId),
    manifest: (taskId) => issued.get(taskId)?.manifest,
    issue: (entries) => entries.map(issue),
    lastRevocation: () => revocations.length,
    revocation: (jti) => revocations.find((one) => one.jti === jti),
    revoke: (entries) => void revocations.push(...entries),
    revocationsFrom: (n, limit) => revocations.filter((one) => one.n >= n).slice(0, limit),
    audit: (afterId, limit) => rows.filter(({ id }) => id > afterId).slice(0, limit),
    close: () => undefined,
  };
}

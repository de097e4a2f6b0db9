import type { TaskManifest } from '../../../src/contracts/index.ts';
import { isWritError } from '../../../src/core/errors.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { success } from '../../../src/core/outcome.ts';
import type { DerivedLease, DeriveRequest, StepEvidence, StoredApproval } from '../../../src/core/ports/index.ts';
import { createResultSigner } from '../../../src/lease/index.ts';
import type { Parts } from '../parts.ts';
import { EXECUTOR_KEY } from '../tasks.ts';
import { cheapEd25519 } from '../twins/crypto.ts';
import type { ApprovalWatch } from './checker.ts';

const signer = createResultSigner(EXECUTOR_KEY, cheapEd25519);

/** What whoever holds the key of an executor, and the socket of the plan role, sees of the kernel. */
interface TakenOver {
  onDerived(lease: DerivedLease): void;
  onAsked(request: DeriveRequest, row: StoredApproval): Promise<void>;
}

/**
 * In one half of the histories he answers each question himself and asks for the step behind it, and asks the question anew with
 * another answer before it. Neither may help him.
 */
export function takenOverRole({ world, kernel, plans }: Parts, watch: ApprovalWatch): TakenOver {
  const answers = new Map<string, readonly StepEvidence[]>();
  const manifests = new Map<string, TaskManifest>();
  return {
    onDerived: ({ manifest }) => void manifests.set(manifest.task_id, manifest),

    async onAsked(request, row) {
      const { planSha256, since, voided } = request;
      const seen = [...(answers.get(planSha256) ?? []).slice(0, since), ...request.answers];
      answers.set(planSha256, seen);
      const ticket = plans.find((one) => one.planSha256 === planSha256);
      if (ticket === undefined || world.scenario.seed % 2 === 0) return;
      const all = { ...request, envelope: ticket.envelope, since: 0 };
      const question = { task_id: row.taskId, capability_id: 'APPROVAL', inputs: {}, constraints: {} } as unknown as TaskManifest;
      const forged = await signer.sign(question, row.manifestSha256, success({ approved: true, role: row.role, by: 'forger', at: '' }));
      const own = { path: row.path, generation: voided.length, result: forged };
      await refused('a lease for the step behind it', () => kernel.kernel.derive({ ...all, answers: [...seen, own], voided: [] }));
      const [first, ...rest] = seen;
      const manifest = [...manifests.values()].find(({ inputs }) => inputs['operation'] === 'none');
      if (first === undefined || manifest === undefined || ticket.plan.steps[0] !== 'none' || !first.result.includes('"yes"')) return;
      const { output } = JSON.parse(first.result.replaceAll('"yes"', '"another word"')) as { readonly output: JsonObject };
      const other = { ...first, result: await signer.sign(manifest, manifestSha256(manifest), success(output)) };
      await refused('the answer to another question', () => kernel.questions(kernel.kernel).askApproval({ ...all, answers: [other, ...rest] }));
    },
  };

  async function refused(what: string, attempt: () => Promise<unknown>): Promise<void> {
    try {
      await attempt();
      watch.onBelieved(`who has taken the plan role over has got ${what}`);
    } catch (error) {
      if (!isWritError(error)) throw error;
      watch.onDisbelieved(error.code);
    }
  }
}

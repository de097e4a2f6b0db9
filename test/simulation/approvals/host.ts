import { WritError } from '../../../src/core/errors.ts';
import type { ApprovalStore } from '../../../src/core/ports/index.ts';
import type { Parts } from '../parts.ts';
import type { ApprovalDeath, SimApproval } from '../scenario.ts';
import { emptyKernelStores } from '../twins/kernel-store.ts';
import type { World } from '../world.ts';
import { answerQuestions } from './approver.ts';
import { ApprovalWatch } from './checker.ts';
import { takenOverRole } from './taken-over.ts';

/** A kernel that died is there again after this time, milliseconds. */
const RESTART_MS = 900;
const WRITES: ReadonlySet<string> = new Set(['ask', 'decide']);

/** The kernel keeps questions, and people answer them; answers who judges that in the end. */
export function startApprovals(parts: Parts, { approvers, deaths, jump }: SimApproval): () => void {
  const { world, kernel, host, open, workers } = parts;
  const { approvals: kept } = emptyKernelStores();
  const written = storeFor(kept, parts, deaths);
  const store = host.seams.approvals === undefined ? written : host.seams.approvals(written, world);
  kernel.approvals = store;
  const { questions } = host.seams;
  if (questions !== undefined) kernel.questions = (inner) => questions(inner, store);
  kernel.restart();
  const watch = new ApprovalWatch(parts, kept);
  const taken = takenOverRole(parts, watch);
  kernel.onDerived = taken.onDerived;
  kernel.onAsked = async (request, row) => {
    watch.onAsked(row);
    await taken.onAsked(request, row);
  };
  for (const [index, approver] of approvers.entries()) answerQuestions(parts, approver, index, store, watch);
  if (jump !== undefined) {
    open.faults += 1;
    world.scheduler.at(jump.at, undefined, () => {
      open.faults -= 1;
      world.strike('clock', JSON.stringify(jump));
      kernel.skewMs += jump.byMs;
      for (const { process } of workers) process.skewMs += jump.byMs;
    });
  }
  return () => watch.judge();
}

/** The kernel's file: who writes may die before or after it, and whoever has asked gets no answer. */
function storeFor(kept: ApprovalStore, { world, kernel }: Pick<Parts, 'world' | 'kernel'>, deaths: readonly ApprovalDeath[]): ApprovalStore {
  const counts = new Map<string, number>();
  const dies = (of: string, when: ApprovalDeath['when']): void => {
    if (!deaths.some((death) => death.of === of && death.nth === counts.get(of) && death.when === when)) return;
    world.strike('kill-kernel', `${when} ${of} ${counts.get(of)}`);
    world.kernelDownUntil = world.now + RESTART_MS;
    world.lastTrouble = Math.max(world.lastTrouble, world.kernelDownUntil);
    kernel.restart();
    throw new WritError('KERNEL_UNAVAILABLE', 'the kernel does not answer');
  };
  return writing(kept, world, (name, write) => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    dies(name, 'before');
    if (world.isDiskFull) throw new WritError('STORAGE_UNAVAILABLE', 'the kernel store cannot be written: database or disk is full');
    const answer = write();
    dies(name, 'after');
    return answer;
  });
}

function writing(kept: ApprovalStore, world: World, around: (name: string, write: () => unknown) => unknown): ApprovalStore {
  return new Proxy(kept, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (!WRITES.has(String(key))) return Reflect.apply(value, target, args) as unknown;
        return around(String(key), () => {
          world.trace.say(world.now, 'kernel', `approvals.${String(key)} ${JSON.stringify(args).slice(0, 200)}`);
          return Reflect.apply(value, target, args) as unknown;
        });
      };
    },
  });
}

import { WritError } from '../../core/errors.ts';
import type { Execution } from '../../core/outcome.ts';
import type { OpenAttempt, RunContext, Task } from '../../core/ports/index.ts';
import { stopped, stopReason } from '../../core/stopped.ts';
import { carryOut } from './carry-out.ts';
import { classify } from './classify.ts';
import type { RunEnd } from './deps.ts';
import { attemptOf, type FileDeps } from './deps.ts';
import { type Descriptors, withDescriptors } from './descriptors.ts';
import { answer, EFFECTS } from './execute.ts';
import { inspectAttempt } from './inspect-attempt.ts';

/**
 * Ends an open attempt (`docs/protocol.md` 6): fence its process, look, classify, carry out. Every step may crash and be
 * run again, because each look starts from what is on disk. The lease is not asked: the effect was authorized when its
 * intent was committed. Of the gate only the worker's own lock counts.
 */
export function recover(task: Task, context: RunContext, { mayRedo }: { readonly mayRedo: boolean }, deps: FileDeps): Promise<Execution> {
  return deps.runs.once(task, async () => {
    const { open } = await deps.journal.view(task.manifest.task_id);
    if (!open) return busy('the attempt was ended meanwhile');
    if (open.manifestSha256 !== task.manifestSha256) throw new WritError('TASK_ID_CONFLICT', `task_id ${open.taskId} is used for another manifest`);
    const reason = stopReason(context.signal);
    if (reason === 'lock-lost' || reason === 'shutdown') return { execution: stopped(reason), opened: undefined };
    const seized = await seize(open, deps);
    if (seized === undefined) return busy('the process that began this task may still act on it');
    return withDescriptors((descriptors) => finishOpen(task, seized, context, mayRedo, deps, descriptors));
  });
}

async function finishOpen(task: Task, open: OpenAttempt, context: RunContext, mayRedo: boolean, deps: FileDeps, descriptors: Descriptors): Promise<RunEnd> {
  const attempt = attemptOf(deps, open, open.n, context, descriptors);
  const findings = await inspectAttempt(attempt, open);
  if ('cannotInspect' in findings) return busy(findings.cannotInspect);
  // Fencing may have taken seconds; without a fresh lock of our own nothing is started, and the attempt stays open.
  const closed = context.gate();
  if (closed !== undefined && closed.kind !== 'outcome') return { execution: closed, opened: undefined };
  const verdict = classify(findings.facts);
  const effect = await carryOut({ ...attempt, open, findings, redo: EFFECTS[open.method] }, verdict, mayRedo);
  // An incident is counted where it is written.
  if (effect.kind !== 'failed' || effect.incident === undefined) deps.onRecovery?.(verdict.do);
  return answer(effect, attempt, task.manifest, deps);
}

/** Nobody touches an attempt whose process may still act; an own one that is not running is ours already. What a dead one had done until then counts. */
async function seize(open: OpenAttempt, { instances, journal }: FileDeps): Promise<OpenAttempt | undefined> {
  if (open.process.instance === instances.self.instance) return open;
  if (!(await instances.ensureDead(open.process))) return undefined;
  const isOurs = await journal.adopt(open.taskId, open.n, open.process.instance, instances.self);
  return isOurs ? (await journal.view(open.taskId)).open : undefined;
}

function busy(why: string): RunEnd {
  return { execution: { kind: 'busy', why }, opened: undefined };
}

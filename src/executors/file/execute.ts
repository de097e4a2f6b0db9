import type { TaskManifest } from '../../contracts/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Execution, type Outcome, success } from '../../core/outcome.ts';
import type { FileIntent, FileMethod, RunContext, Task } from '../../core/ports/index.ts';
import { stopped, stopReason } from '../../core/stopped.ts';
import type { OpenBases } from './bases.ts';
import { copyAcross } from './copy.ts';
import { attemptOf, type FileDeps, type RunEnd } from './deps.ts';
import { type Descriptors, withDescriptors } from './descriptors.ts';
import type { Attempt, Effect, IncidentNote, Transfer } from './effect.ts';
import { type FileRequest, parseRequest } from './inputs.ts';
import { moveByLink, moveByRename } from './move.ts';
import { pathText } from './opened-path.ts';
import { isTaken, prepare } from './prepare.ts';

/** The effects of each method, in the order of `docs/protocol.md` 5. */
export const EFFECTS = {
  rename: moveByRename,
  link: moveByLink,
  copy: copyAcross,
} satisfies Record<FileMethod, (transfer: Transfer) => Promise<Effect>>;

const VAULT_FULL: Outcome = {
  status: 'FAILURE',
  output: null,
  error: { error_code: 'RESOURCE_EXHAUSTED', message: 'the vault is full; undo deletes or purge it' },
};

/** One run of a task that this host does not know: judge, look, gate, intent, gate again, effect (docs/protocol.md 6). */
export function execute(task: Task, context: RunContext, deps: FileDeps): Promise<Execution> {
  return deps.runs.once(task, async () => {
    const parsed = parseRequest(task.manifest, deps.pathBases, deps.capabilities);
    if (!parsed.ok) return ended({ kind: 'outcome', outcome: parsed.error });
    return withDescriptors((descriptors) => run(task, parsed.value, context, deps, descriptors));
  });
}

async function run(task: Task, request: FileRequest, context: RunContext, deps: FileDeps, descriptors: Descriptors): Promise<RunEnd> {
  const prepared = await prepare(task, request, deps, descriptors);
  if (prepared.kind === 'refused') return ended({ kind: 'outcome', outcome: prepared.outcome });
  if (prepared.kind === 'busy') return ended(BUSY);
  const { plan, found } = prepared;

  const reason = stopReason(context.signal);
  if (reason) return ended(stopped(reason));
  // From the gate to the request of the intent nothing waits: what the gate saw is what the intent is committed under.
  const closed = context.gate();
  if (closed) return ended(closed.kind === 'outcome' && (await isTaken(task, deps)) ? BUSY : closed);
  const vault = plan.vaultBytes === undefined ? undefined : { bytes: plan.vaultBytes, quota: deps.limits.vaultQuotaBytes };
  const opened = await deps.journal.open(plan.intent, vault, deps.clock.now());
  if (opened.kind === 'conflict') return ended(BUSY);
  if (opened.kind === 'quota') return ended({ kind: 'outcome', outcome: VAULT_FULL });

  const attempt = attemptOf(deps, plan.intent, opened.n, context, descriptors);
  attempt.pass('intent');
  // This worker may have stood still while the intent was written, so long that another has answered for the task. From here
  // on nobody answers without looking at the intent, and nobody touches that while this process lives.
  const shut = context.gate();
  if (shut) {
    await deps.journal.withdraw(plan.intent.taskId, opened.n, deps.clock.now());
    return ended(shut);
  }
  const effect = await EFFECTS[plan.intent.method]({ ...attempt, source: found.source, destination: found.destination });
  return answer(effect, attempt, task.manifest, deps);
}

const BUSY: Execution = { kind: 'busy', why: 'another worker has just begun or finished this task' };

/** A run that opened no attempt. */
function ended(execution: Execution): RunEnd {
  return { execution, opened: undefined };
}

/** From how the effects ended to the end of the run; an incident is on disk before anybody hears the answer. */
export async function answer(effect: Effect, attempt: Attempt, manifest: TaskManifest, deps: FileDeps): Promise<RunEnd> {
  const { intent, n, bases } = attempt;
  switch (effect.kind) {
    case 'done': {
      const outcome = success(outputOf(manifest, intent, bases, effect.sha256));
      return { execution: { kind: 'outcome', outcome }, opened: { n, identity: effect.identity, doubtful: false } };
    }
    case 'failed':
      if (effect.incident) await report(effect.incident, intent.taskId, deps);
      return {
        execution: { kind: 'outcome', outcome: effect.outcome },
        opened: { n, identity: undefined, doubtful: effect.incident !== undefined, withdrawn: effect.incident?.withdrawn },
      };
    case 'stopped':
      return { execution: stopped(effect.reason), opened: { n, identity: undefined, doubtful: false } };
  }
}

/** Counted where it is written, whether a worker was lost before it or not. */
async function report({ what, details }: IncidentNote, taskId: string, { journal, clock, onRecovery }: FileDeps): Promise<void> {
  await journal.reportIncident({ taskId, what, details }, clock.now());
  onRecovery?.('incident');
}

/**
 * The output of a SUCCESS (file-executor.md 9.1), from the intent alone, so that recovery answers with the same bytes as
 * the run that was lost. Paths are absolute and normalized, `bytes` is the size of the source.
 *
 * @param sha256 of the content, where it was read anyway (copies)
 */
function outputOf(manifest: TaskManifest, intent: FileIntent, bases: OpenBases, sha256: string | undefined): JsonObject {
  const source = pathText(bases, intent.source);
  const destination = pathText(bases, intent.destination);
  const bytes = Number(intent.sourceIdentity.size);
  const head = { task_id: manifest.task_id, capability_id: manifest.capability_id };
  const hashed = sha256 === undefined ? {} : { sha256 };
  switch (intent.operation) {
    case 'move':
      return { ...head, result_summary: { source, destination, bytes, ...hashed }, undo_metadata: { original_path: source } };
    case 'copy':
      return { ...head, result_summary: { source, destination, bytes, ...hashed } };
    case 'delete':
      return { ...head, result_summary: { source, bytes }, undo_metadata: { original_path: source, recovery_path: destination } };
  }
}

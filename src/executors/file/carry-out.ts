import { ROLLED_BACK_TOO_OFTEN } from '../../core/counted.ts';
import { failure } from '../../core/outcome.ts';
import type { OpenAttempt } from '../../core/ports/index.ts';
import { type FailureReason, STARTS_EFFECT, type Verdict } from './classify.ts';
import { removeTemporary } from './copy.ts';
import { type Attempt, type Effect, failed, incident, type Sealed, type Transfer, type WithdrawnCopy } from './effect.ts';
import { identityOf } from './identity.ts';
import type { AttemptFindings, PathState } from './inspect-attempt.ts';
import { dropSource } from './move.ts';
import { checkEffect, type OpenedPath } from './opened-path.ts';
import { afterPublish, publish } from './publish.ts';
import { explain } from './refusals.ts';
import { finishRetired, sourceLost } from './retire.ts';
import { withdraw, withdrawnCopy } from './withdraw.ts';
import { dropLinkedName } from './without-replacing.ts';

/** An open attempt, what was found of it, and how its effects would start again. */
export interface Recovering extends Attempt {
  readonly open: OpenAttempt;
  readonly findings: AttemptFindings;
  readonly redo: (transfer: Transfer) => Promise<Effect>;
}

/** Does what the tables say. `mayRedo` false: nothing is started again, what is not done is rolled back. */
export async function carryOut(recovering: Recovering, verdict: Verdict, mayRedo: boolean): Promise<Effect> {
  const { open, findings } = recovering;
  if (STARTS_EFFECT.has(verdict.do) && !mayRedo) {
    await clearTemporary(recovering);
    return failed(ROLLED_BACK_TOO_OFTEN);
  }
  switch (verdict.do) {
    case 'redo':
      await clearTemporary(recovering);
      return withBoth(recovering, recovering.redo);
    case 'unlink-source':
      return withBoth(recovering, dropSource);
    case 'finish':
      await clearTemporary(recovering);
      return finish(recovering);
    case 'publish':
      return withBoth(recovering, (transfer) => publish(transfer, sealedOf(open)));
    case 'retire':
      await clearTemporary(recovering);
      return withBoth(recovering, (transfer) => afterPublish(transfer, sealedOf(open), open.stage === 'sealed'));
    case 'unlink-retired':
      return unlinkRetired(recovering);
    case 'finish-retired':
      return finishRetirement(recovering);
    case 'withdraw':
      return withdraw(
        recovering,
        withdrawable(findings),
        sealedOf(open),
        findings.facts.source === 'same' ? GIVEN_UP : SENTENCES['source-changed-during-move'],
      );
    case 'fail':
      await clearTemporary(recovering);
      return giveUp(
        recovering,
        verdict.why,
        verdict.incident,
        findings.facts.destination === 'withdrawn' ? withdrawnCopy(recovering, sealedOf(open)) : undefined,
      );
  }
}

const SENTENCES = {
  'destination-exists': 'the destination exists',
  'source-changed': 'the source changed before the operation was done',
  'source-missing': 'the source does not exist',
  'source-changed-during-move': 'the source changed during the move',
  'source-lost-during-move': 'the source disappeared during the move; the copy stays',
  unknown: 'outcome unknown: after a crash the files are not where this operation can have put them; look, and retry with a new lease',
} satisfies Record<FailureReason, string>;

/** Why is gone with the worker that began it. */
const GIVEN_UP = 'the source could not be moved into the vault of its base';

function withdrawable({ source, destination }: AttemptFindings): Parameters<typeof withdraw>[1] {
  return { source: source.opened, destination: destination.opened };
}

function giveUp(attempt: Attempt, why: FailureReason, isIncident: boolean, withdrawn: WithdrawnCopy | undefined): Effect {
  if (why === 'source-lost-during-move') return sourceLost(attempt);
  return isIncident ? incident(attempt, SENTENCES[why], {}, withdrawn) : failed(failure('EXECUTION_FAILED', SENTENCES[why]));
}

/** The effect stands under the destination's name; `source` may have lost its directory since. */
async function finish(recovering: Recovering): Promise<Effect> {
  const { open, findings, pass } = recovering;
  const destination = openedOf(findings.destination);
  const paths = findings.source.opened ? [findings.source.opened, destination] : [destination];
  const expected = open.method === 'copy' ? sealedOf(open) : open.sourceIdentity;
  const check = await checkEffect({ destination, expected, paths, sync: paths });
  if (!check.ok) return incident(recovering, `outcome unknown: ${check.doubt}`);
  pass(open.method === 'copy' ? 'C5' : 'M2');
  return { kind: 'done', identity: check.identity, sha256: open.sealed?.sha256 };
}

/** X7 by link was interrupted between its two halves. */
async function unlinkRetired(recovering: Recovering): Promise<Effect> {
  const { source, retired } = recovering.findings;
  const dropped = await dropLinkedName(openedOf(source), openedOf(retired));
  if (!dropped.ok) return incident(recovering, `the source's name could not be removed (${dropped.errno})`);
  return finishRetirement(recovering);
}

/** X7 happened, so the copy had been published: whoever took it from its name since did so rightly. */
function finishRetirement(recovering: Recovering): Promise<Effect> {
  const { open, findings } = recovering;
  const identity = findings.facts.destination === 'same' && findings.destination.entry ? identityOf(findings.destination.entry) : identityOf(sealedOf(open));
  const done: Effect = { kind: 'done', identity, sha256: sealedOf(open).sha256 };
  return finishRetired(recovering, openedOf(findings.retired), findings.source.opened, done, async (doubt) =>
    incident(recovering, `outcome unknown: ${doubt}`),
  );
}

/** Runs a step that needs both directories; where one cannot be reached any more, its refusal is the answer. */
async function withBoth(recovering: Recovering, step: (transfer: Transfer) => Promise<Effect>): Promise<Effect> {
  const { source, destination } = recovering.findings;
  if (!source.opened) return unreachable("the source's directory", source);
  if (!destination.opened) return unreachable("the destination's directory", destination);
  return step({ ...recovering, source: source.opened, destination: destination.opened });
}

function unreachable(what: string, { refused }: PathState): Effect {
  return failed(explain(what, refused ?? { ok: false, refusal: 'missing', errno: 'ENOENT' }));
}

async function clearTemporary({ intent, findings }: Recovering): Promise<void> {
  const { opened } = findings.destination;
  if (intent.temporary !== undefined && opened) await removeTemporary({ intent, destination: opened });
}

function sealedOf({ taskId, sealed }: OpenAttempt): Sealed {
  if (!sealed) throw new Error(`the attempt of ${taskId} is not sealed`);
  return sealed;
}

/** The tables give these verdicts only where something stands there. */
function openedOf({ opened }: PathState): OpenedPath {
  if (!opened) throw new Error('a verdict was given for a place that cannot be reached');
  return opened;
}

import { failure, type Outcome } from '../../core/outcome.ts';
import type { OpenAttempt } from '../../core/ports/index.ts';
import { type FailureReason, STARTS_EFFECT, type Verdict } from './classify.ts';
import { removeTemporary } from './copy.ts';
import { type Attempt, type Effect, failed, incident, type Sealed, type Work } from './effect.ts';
import { identityOf } from './identity.ts';
import { dropSource } from './move.ts';
import type { Place } from './places.ts';
import { afterPublish, publish } from './publish.ts';
import { explain } from './refusals.ts';
import { finishRetired, sourceLost, withdraw } from './retire.ts';
import type { Scene, Spot } from './scene.ts';
import { stands } from './stand.ts';
import { dropLinkedName } from './without-replacing.ts';

/** An open attempt, what was found of it, and how its effects would start again. */
export interface Recovering extends Attempt {
  readonly open: OpenAttempt;
  readonly scene: Scene;
  readonly redo: (work: Work) => Promise<Effect>;
}

/** Does what the tables say. `mayRedo` false: nothing is started again, what is not done is rolled back. */
export async function carryOut(recovering: Recovering, verdict: Verdict, mayRedo: boolean): Promise<Effect> {
  const { open, scene } = recovering;
  if (STARTS_EFFECT.has(verdict.do) && !mayRedo) {
    await clearTemporary(recovering);
    return failed(TAKEN_OVER_TOO_OFTEN);
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
      return withBoth(recovering, (work) => publish(work, sealedOf(open)));
    case 'retire':
      await clearTemporary(recovering);
      return withBoth(recovering, (work) => afterPublish(work, sealedOf(open), open.stage === 'sealed'));
    case 'unlink-retired':
      return unlinkRetired(recovering);
    case 'finish-retired':
      return finishRetirement(recovering);
    case 'withdraw':
      return withdraw(recovering, placeOf(scene.destination), sealedOf(open), SENTENCES['source-changed-during-move']);
    case 'fail':
      await clearTemporary(recovering);
      return giveUp(recovering, verdict.why, verdict.incident);
  }
}

const TAKEN_OVER_TOO_OFTEN: Outcome = failure('RESOURCE_EXHAUSTED', 'the workers of this task were lost too often; what had been begun was rolled back');

const SENTENCES = {
  'destination-exists': 'the destination exists',
  'source-changed': 'the source changed before the operation was done',
  'source-missing': 'the source does not exist',
  'source-changed-during-move': 'the source changed during the move',
  'source-lost-during-move': 'the source disappeared during the move; the copy stays',
  unknown: 'outcome unknown: after a crash the files are not where this operation can have put them; look, and retry with a new lease',
} satisfies Record<FailureReason, string>;

function giveUp(attempt: Attempt, why: FailureReason, isIncident: boolean): Effect {
  if (why === 'source-lost-during-move') return sourceLost(attempt);
  return isIncident ? incident(attempt, SENTENCES[why]) : failed(failure('EXECUTION_FAILED', SENTENCES[why]));
}

/** The effect stands under the destination's name; `source` may have lost its directory since. */
async function finish(recovering: Recovering): Promise<Effect> {
  const { open, scene, pass } = recovering;
  const destination = placeOf(scene.destination);
  const places = scene.source.place ? [scene.source.place, destination] : [destination];
  const expected = open.method === 'copy' ? sealedOf(open) : open.sourceIdentity;
  const standing = await stands({ destination, expected, places, sync: places });
  if (!standing.ok) return incident(recovering, `outcome unknown: ${standing.doubt}`);
  pass(open.method === 'copy' ? 'C5' : 'M2');
  return { ...standing.effect, sha256: open.sealed?.sha256 };
}

/** X7 by link was interrupted between its two halves. */
async function unlinkRetired(recovering: Recovering): Promise<Effect> {
  const { source, retired } = recovering.scene;
  const dropped = await dropLinkedName(placeOf(source), placeOf(retired));
  if (!dropped.ok) return incident(recovering, `the source's name could not be removed (${dropped.errno})`);
  return finishRetirement(recovering);
}

/** X7 happened, so the copy had been published: whoever took it from its name since did so rightly. */
function finishRetirement(recovering: Recovering): Promise<Effect> {
  const { open, scene } = recovering;
  const identity = scene.facts.destination === 'same' && scene.destination.entry ? identityOf(scene.destination.entry) : identityOf(sealedOf(open));
  const done: Effect = { kind: 'done', identity, sha256: sealedOf(open).sha256 };
  return finishRetired(recovering, placeOf(scene.retired), scene.source.place, done, async (doubt) => incident(recovering, `outcome unknown: ${doubt}`));
}

/** Runs a step that needs both directories; where one cannot be reached any more, its refusal is the answer. */
async function withBoth(recovering: Recovering, step: (work: Work) => Promise<Effect>): Promise<Effect> {
  const { source, destination } = recovering.scene;
  if (!source.place) return unreachable("the source's directory", source);
  if (!destination.place) return unreachable("the destination's directory", destination);
  return step({ ...recovering, source: source.place, destination: destination.place });
}

function unreachable(what: string, { refused }: Spot): Effect {
  return failed(explain(what, refused ?? { ok: false, refusal: 'missing', errno: 'ENOENT' }));
}

async function clearTemporary({ intent, scene }: Recovering): Promise<void> {
  const { place } = scene.destination;
  if (intent.temporary !== undefined && place) await removeTemporary({ intent, destination: place });
}

function sealedOf({ taskId, sealed }: OpenAttempt): Sealed {
  if (!sealed) throw new Error(`the attempt of ${taskId} is not sealed`);
  return sealed;
}

/** The tables give these verdicts only where something stands there. */
function placeOf({ place }: Spot): Place {
  if (!place) throw new Error('a verdict was given for a place that cannot be reached');
  return place;
}

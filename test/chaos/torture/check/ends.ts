import type { Model } from '../model.ts';
import type { World } from '../world.ts';

/** Every accepted task and plan has ended, signed by an executor; a SUCCESS has the same words for ever; the audit log is whole; every role drains. */
export function judgeEnds({ tasks, plans, answers }: Model, world: World): readonly string[] {
  return [
    ...tasks.flatMap(({ id }) => fault(id, world.tasks.get(id)?.status === 'none', world.tasks.get(id)?.signed, world.tasks.get(id)?.says)),
    ...plans.flatMap(({ id, name }) => {
      const end = world.plans.get(id);
      return fault(`${name} (${id})`, end?.state !== 'success' && end?.state !== 'failure', end?.signed, end?.state);
    }),
    ...[...answers].flatMap(([id, signatures]) => {
      const last = world.tasks.get(id);
      if (last?.status !== 'SUCCESS') return [`${id} was answered with SUCCESS, and is ${last?.status}`];
      return signatures.size === 1 && signatures.has(last.says) ? [] : [`${id} has had ${signatures.size} answers, and now ${last.says}`];
    }),
    ...(world.auditFault === undefined ? [] : [`the audit log: ${world.auditFault}`]),
    ...world.undrained,
  ];
}

function fault(who: string, isLost: boolean, isSigned: boolean | undefined, says: string | undefined): readonly string[] {
  if (isSigned === undefined || isLost) return [`${who} was accepted and has not ended: ${says}`];
  return isSigned ? [] : [`${who} has an end that no executor has signed: ${says}`];
}

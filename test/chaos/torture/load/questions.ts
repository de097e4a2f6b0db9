import { setTimeout as delay } from 'node:timers/promises';
import type { ApprovalView } from '../../../../src/surfaces/client/index.ts';
import { codeOf, insist } from '../insist.ts';
import type { PlanAsk, Word } from '../model.ts';
import type { Stage } from '../stage.ts';
import { askedPlan, fileStep } from './plans.ts';
import { envelopeFor, pushPlan } from './push-plan.ts';

/** Longer than anybody takes to answer here. A plan that Redis has lost behind its answer, and that is pushed again, asks anew. */
const LONG_S = 60;
const SHORT_S = 2;
const LOOK_MS = 150;

/** Who answers, and when. */
const ANSWERS = {
  yes: { deadlineS: LONG_S, give: (stage, ask, step) => say(stage, ask, step, 'approved') },
  no: { deadlineS: LONG_S, give: (stage, ask, step) => say(stage, ask, step, 'denied') },
  twice: {
    deadlineS: LONG_S,
    async give(stage, ask, step) {
      await say(stage, ask, step, 'approved');
      await say(stage, ask, step, 'approved');
    },
  },
  'against each other': {
    deadlineS: LONG_S,
    give: async (stage, ask, step) => void (await Promise.all([say(stage, ask, step, 'approved'), say(stage, ask, step, 'denied')])),
  },
  'changed mind': {
    deadlineS: LONG_S,
    async give(stage, ask, step) {
      await say(stage, ask, step, 'denied');
      await say(stage, ask, step, 'approved');
    },
  },
  late: {
    deadlineS: SHORT_S,
    async give(stage, ask, step) {
      await delay(Math.max(0, Date.parse(step.until) - Date.now()) + 1);
      await say(stage, ask, step, 'approved');
    },
  },
  nobody: { deadlineS: SHORT_S, give: async () => undefined },
} satisfies Record<string, { readonly deadlineS: number; give(stage: Stage, ask: PlanAsk, step: ApprovalView): Promise<void> }>;

const NAMES = Object.keys(ANSWERS) as readonly (keyof typeof ANSWERS)[];

/** A plan that waits for somebody's word between two file steps. */
export async function askingPlan(stage: Stage): Promise<void> {
  const { deadlineS, give } = ANSWERS[stage.random.pick(NAMES)];
  const before = fileStep(stage, '0', 'copy');
  const { ask, webhook } = askedPlan(stage, [before, { path: '1', kind: 'question' }, { ...fileStep(stage, '2', 'move'), behind: '1' }]);
  const { ended } = await pushPlan(stage, ask, envelopeFor(ask, deadlineS), webhook);
  let isOver = false;
  void ended.finally(() => {
    isOver = true;
  });
  const question = await asked(stage, ask, () => isOver);
  if (question !== undefined) await give(stage, ask, question);
  await ended;
}

/** What the plan asks, when it does; undefined when it ended before anybody saw the question. */
async function asked(stage: Stage, ask: PlanAsk, isOver: () => boolean): Promise<ApprovalView | undefined> {
  while (!isOver() && !stage.over.aborted) {
    const { approvals } = await insist(() => stage.site.client.plans.approvals({ plan: ask.id }), stage.over);
    const [question] = approvals;
    if (question !== undefined) return question;
    await delay(LOOK_MS);
  }
  return undefined;
}

/** Says a word until somebody takes or refuses it, and keeps what came of it. */
async function say(stage: Stage, ask: PlanAsk, { step }: ApprovalView, word: Word['word']): Promise<void> {
  const { plans } = stage.site.client;
  const kept: Word = { step, word, askedAt: Date.now(), outcome: { kind: 'unclear' } };
  ask.words.push(kept);
  const call = word === 'approved' ? plans.approve : plans.deny;
  try {
    const view = await insist(() => call(ask.id, { step, note: word }), stage.over);
    kept.answeredAt = Date.now();
    kept.outcome = { kind: 'acknowledged', state: view.state };
  } catch (error) {
    const code = codeOf(error);
    if (code !== undefined) kept.outcome = { kind: 'refused', code };
  }
}

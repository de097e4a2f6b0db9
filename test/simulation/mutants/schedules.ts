import type { SimProcess } from '../scheduler.ts';
import type { Mutant } from './mutant.ts';

/** Earlier than this, minutes, a time was missed. */
const ON_TIME_MIN = 1;

/** What the kernel does with schedules. */
export const SCHEDULE_MUTANTS: readonly Mutant[] = [
  {
    name: 'the cursor of a schedule moves without its firings',
    seams: { schedules: (store) => ({ ...store, decide: (schedule) => store.decide(schedule, []) }) },
  },
  {
    name: 'what was missed is not made up for',
    seams: {
      schedules: (store) => ({
        ...store,
        decide: (schedule, firings) =>
          store.decide(
            schedule,
            firings.filter(({ planned }) => planned >= schedule.cursor - ON_TIME_MIN),
          ),
      }),
    },
  },
  {
    name: 'a kernel that starts does not look for firings that are due',
    seams: {
      schedules: (store, { process, world }) => ({
        ...store,
        toLookAt: (now, limit) => store.toLookAt(now, limit).filter(({ state, lookAt = 0 }) => state !== 'due' || lookAt >= startOf(process, now - world.now)),
      }),
    },
  },
  {
    name: 'a firing that Redis does not know any more has ended',
    seams: {
      lane: (lane) => ({
        ...lane,
        standing: async (taskId) => {
          const standing = await lane.standing(taskId);
          return standing.kind === 'unknown' ? { kind: 'ended', code: 'SUCCESS' } : standing;
        },
      }),
    },
  },
  {
    name: 'each push of a plan of a schedule is an ask of its own',
    seams: { lane: (lane) => ({ ...lane, pushPlan: (plan, { askedAt: _askedAt, ...options }) => lane.pushPlan(plan, options) }) },
  },
  {
    name: 'a plan of a schedule that Redis does not know any more has ended',
    seams: {
      lane: (lane) => ({
        ...lane,
        planStanding: async (planId) => {
          const standing = await lane.planStanding(planId);
          return standing.kind === 'unknown' ? { kind: 'ended', code: 'SUCCESS' } : standing;
        },
      }),
    },
  },
];

/** When the process began, by its wall clock. */
function startOf(process: SimProcess, epochMs: number): number {
  return epochMs + process.startedAt;
}

import { describe, expect, it } from 'vitest';
import { type Downgraded, refusedWell } from '../../chaos/containers/downgrade.ts';
import { type Kills, PLAN_STEPS, type Struck, survivedWell } from '../../chaos/containers/kills.ts';
import { type Pod, podIsWell } from '../../chaos/containers/pod.ts';
import { SERVICES } from '../../chaos/containers/project.ts';
import { type Upgraded, upgradedWell } from '../../chaos/containers/upgrade.ts';

const COUNTS = { tasks: 600, mostAtOnce: 12, lost: 0, doubled: 0, wrong: 0, said: [] };
const NONE = { ...COUNTS, tasks: 0 };
const UNEVEN = (['lost', 'doubled', 'wrong'] as const).map((name) => ({ ...COUNTS, [name]: 1 }));

const DOWN: Downgraded = { queued: '202 waiting', refused: ['worker'], healthy: [], pushed: '503', searched: 'found', untouched: true };
const BAD_DOWN: readonly Downgraded[] = [
  { ...DOWN, queued: '503 KERNEL_UNAVAILABLE' },
  { ...DOWN, refused: ['kernel'] },
  { ...DOWN, searched: 'wrong' },
  { ...DOWN, untouched: false },
];

const UPGRADED: Upgraded = {
  before: 'df40a16c',
  image: 'made here',
  up: { counts: COUNTS, plan: true, underWay: 12, stepsDone: 1 },
  down: DOWN,
  again: { waited: true, counts: COUNTS },
  records: 40,
};

const HIT: Struck = { service: 'api', underWay: 12, stepsDone: 1, seconds: 9 };
const KILLS: Kills = { struck: SERVICES.map((service) => ({ ...HIT, service })), counts: COUNTS, plans: SERVICES.length };
const POD: Pod = { well: ['api'], task: true, exits: { api: 0 } };

describe('the verdicts of the suite of containers', () => {
  it('pass an installation that was put back while a job waited only if its worker refused, nothing moved and no search was wrong', () => {
    expect(refusedWell(DOWN)).toBe(true);
    expect(refusedWell({ ...DOWN, searched: 'refused' })).toBe(true);
    expect(BAD_DOWN.map(refusedWell)).toEqual(BAD_DOWN.map(() => false));
  });

  it('pass an upgrade only if tasks and a plan were under way, and each effect was had once, before and after', () => {
    const { up, again } = UPGRADED;
    expect(upgradedWell(UPGRADED)).toBe(true);
    const bad: readonly Upgraded[] = [
      ...[NONE, ...UNEVEN].flatMap((counts) => [
        { ...UPGRADED, up: { ...up, counts } },
        { ...UPGRADED, again: { ...again, counts } },
      ]),
      ...[{ plan: false }, { underWay: 0 }, { stepsDone: 0 }, { stepsDone: PLAN_STEPS }].map((part) => ({ ...UPGRADED, up: { ...up, ...part } })),
      ...BAD_DOWN.map((down) => ({ ...UPGRADED, down })),
      { ...UPGRADED, again: { ...again, waited: false } },
      { ...UPGRADED, records: 0 },
    ];
    expect(bad.map(upgradedWell)).toEqual(bad.map(() => false));
  });

  it('pass the kills only if each service was struck with a plan half done, and each plan and move was done once', () => {
    expect(survivedWell(KILLS)).toBe(true);
    const oneOther = (part: Partial<Struck>): Kills => ({ ...KILLS, struck: [...KILLS.struck.slice(1), { ...HIT, ...part }] });
    const bad: readonly Kills[] = [
      { ...KILLS, struck: KILLS.struck.slice(1) },
      ...[{ underWay: 0 }, { stepsDone: 0 }, { stepsDone: PLAN_STEPS }].map(oneOther),
      { ...KILLS, plans: SERVICES.length - 1 },
      ...[NONE, ...UNEVEN].map((counts) => ({ ...KILLS, counts })),
    ];
    expect(bad.map(survivedWell)).toEqual(bad.map(() => false));
  });

  it('pass a pod only if all its containers are well, its task was done and each ends with 0', () => {
    expect(podIsWell(POD)).toBe(true);
    const bad: readonly Pod[] = [
      { ...POD, well: [] },
      { ...POD, task: false },
      { ...POD, exits: { api: 137 } },
      { well: [], task: true, exits: {} },
    ];
    expect(bad.map(podIsWell)).toEqual(bad.map(() => false));
  });
});

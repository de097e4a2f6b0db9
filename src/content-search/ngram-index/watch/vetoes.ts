import type { HostVeto } from '../../../core/ports/index.ts';

/** By weight: the one that is told when there are several. After some the directories must be watched anew before a pass can answer for the tree. */
const VETOES = {
  NOT_ARMED: { needsArm: true },
  WATCHER_DOWN: { needsArm: true },
  OVERFLOW: { needsArm: true },
  MOUNT: { needsArm: true },
  ELIGIBILITY: { needsArm: true },
  POLICY: { needsArm: false },
  HARD_LINK: { needsArm: false },
  BACKLOG: { needsArm: false },
  NOT_COMPLETE: { needsArm: false },
} satisfies Record<HostVeto, { readonly needsArm: boolean }>;

const BY_WEIGHT: readonly HostVeto[] = Object.keys(VETOES).filter((name): name is HostVeto => Object.hasOwn(VETOES, name));

/** The reasons for which nothing may be left out. Pure. */
export interface Vetoes {
  /** Whether it is new. `seq`: number of the event that raised it. */
  raise(veto: HostVeto, seq: number): boolean;
  /** Takes back those that were raised no later than `through`; where watches are relied on, some only after an arming that began later. */
  lift(through: number, relyOnWatches: boolean): void;
  /** By weight. */
  readonly up: readonly HostVeto[];
  armBegins(): void;
  armEnded(): void;
}

export function createVetoes(): Vetoes {
  const raised = new Map<HostVeto, { readonly seq: number; readonly arms: number }>();
  let begun = 0;
  let ended = 0;
  return {
    raise(veto, seq) {
      const isNew = !raised.has(veto);
      raised.set(veto, { seq, arms: begun });
      return isNew;
    },
    lift(through, relyOnWatches) {
      for (const [veto, { seq, arms }] of raised) {
        if (seq <= through && (!relyOnWatches || !VETOES[veto].needsArm || ended > arms)) raised.delete(veto);
      }
    },
    get up() {
      return BY_WEIGHT.filter((veto) => raised.has(veto));
    },
    armBegins() {
      begun += 1;
    },
    armEnded() {
      ended = begun;
    },
  };
}

import type { HostVeto } from '../../../core/ports/index.ts';

/** Vetoes by weight: of several the first is told. `needsArm`: the directories must be watched again before a pass can lift it. */
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

/** Vetoes that are up: reasons why a search must leave nothing out. Pure. */
export interface Vetoes {
  /** Raises a veto; true when it was not up. @param seq number of the event that raised it */
  raise(veto: HostVeto, seq: number): boolean;
  /** Lifts vetoes that were raised no later than `through`; where watches are relied on, those with `needsArm` only after an arming that began later. */
  lift(through: number, relyOnWatches: boolean): void;
  /** What raised it is gone by itself. */
  drop(veto: HostVeto): void;
  /** The vetoes that are up, by weight. */
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
    drop: (veto) => void raised.delete(veto),
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

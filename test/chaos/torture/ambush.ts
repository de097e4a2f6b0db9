import { setTimeout as delay } from 'node:timers/promises';

/** Something that is done in the very moment when somebody comes. */
export interface Ambush {
  /** Whoever comes next sets it off. Whether somebody came within the time. */
  lay(deed: () => void, ms: number): Promise<boolean>;
  /** Somebody has come: at once, before anything else is done for him. */
  spring(): void;
}

export function createAmbush(): Ambush {
  let trap: (() => void) | undefined;
  return {
    async lay(deed, ms) {
      const over = new AbortController();
      const sprung = new Promise<true>((settle) => {
        trap = () => {
          trap = undefined;
          deed();
          settle(true);
        };
      });
      const inVain = delay(ms, false as const, { signal: over.signal }).catch(() => false as const);
      const came = await Promise.race([sprung, inVain]);
      over.abort();
      trap = undefined;
      return came;
    },
    spring: () => trap?.(),
  };
}

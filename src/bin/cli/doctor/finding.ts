import { messageOf } from '../../../core/errors.ts';
import type { Check } from '../../../core/ports/diagnosis.ts';

/** What a probe found; `todo` goes with everything that is not well. */
export type Finding = Pick<Check, 'level' | 'found' | 'todo'>;

export const well = (found: string): Finding => ({ level: 'ok', found });
export const warning = (found: string, todo: string): Finding => ({ level: 'warn', found, todo });
export const broken = (found: string, todo: string): Finding => ({ level: 'fail', found, todo });

export interface Probe {
  readonly title: string;
  readonly look: () => Finding | Promise<Finding>;
  /** What to do when the probe itself throws. */
  readonly todo: string;
}

/** Probes of one area, in their order. A probe that throws has found something broken. */
export async function examine(area: string, probes: readonly Probe[]): Promise<Check[]> {
  return Promise.all(
    probes.map(async ({ title, look, todo }) => {
      try {
        return { area, title, ...(await look()) };
      } catch (error) {
        return { area, title, ...broken(messageOf(error), todo) };
      }
    }),
  );
}

import { messageOf } from './errors.ts';

/** One line of `writ doctor`: what was looked at, and what was found there. */
export interface Check extends Finding {
  readonly area: string;
  readonly title: string;
}

/** What a probe found. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** What to do; always there unless `ok`. */
  readonly todo?: string;
}

export const passed = (found: string): Finding => ({ level: 'ok', found });
export const warning = (found: string, todo: string): Finding => ({ level: 'warn', found, todo });
export const broken = (found: string, todo: string): Finding => ({ level: 'fail', found, todo });

/** Looks at one thing. */
export interface Probe {
  readonly title: string;
  readonly look: () => Finding | Promise<Finding>;
  /** What to do when the probe itself throws. */
  readonly todo: string;
}

/** Asks the probes of one area, in their order. A probe that throws has found something broken. */
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

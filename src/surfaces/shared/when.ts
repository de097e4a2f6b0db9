import type { PushOptions } from '../../core/ports/index.ts';

/** When a push may run, as requests say it: `not_before` is RFC 3339. */
export interface WhenWords {
  readonly not_before?: string | undefined;
  readonly priority?: number | undefined;
}

/** The same for the queue. */
export function readWhen({ not_before, priority }: WhenWords): Pick<PushOptions, 'notBefore' | 'priority'> {
  return {
    ...(not_before === undefined ? {} : { notBefore: Date.parse(not_before) }),
    ...(priority === undefined ? {} : { priority }),
  };
}

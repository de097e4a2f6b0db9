import type { LeaseTerms, PushOptions } from '../../../core/ports/index.ts';

/** A lease for a push counts from when its job may run. */
export function leaseTermsOf({ notBefore }: Pick<PushOptions, 'notBefore'>): Pick<LeaseTerms, 'notBeforeS'> {
  return notBefore === undefined ? {} : { notBeforeS: Math.floor(notBefore / 1000) };
}

import type { LeaseTerms } from '../../../core/ports/index.ts';
import { parseSeconds } from '../text/values.ts';

/** The wishes about a lease that `push` and `lease issue` share. */
export function termsOf({ ttl, confirmedBy }: { readonly ttl?: string; readonly confirmedBy?: string }): LeaseTerms {
  return { ...(ttl === undefined ? {} : { ttlS: parseSeconds(ttl, '--ttl') }), ...(confirmedBy === undefined ? {} : { confirmedBy }) };
}

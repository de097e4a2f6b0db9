import type { Access, Caller } from '../route.ts';

export type Verdict = 'granted' | 'unauthorized' | 'forbidden';

/** Whether the caller may use a route. One role of the list is enough. */
export function judge(access: Access, caller: Caller | undefined): Verdict {
  if (access === 'open') return 'granted';
  if (caller === undefined) return 'unauthorized';
  return access === 'any' || access.some((role) => caller.roles.has(role)) ? 'granted' : 'forbidden';
}

/** A person's words for an access. */
export function describeAccess(access: Access): string {
  if (access === 'open') return 'everybody';
  if (access === 'any') return 'any key or session';
  return access.map((role) => `\`${role}\``).join(' or ');
}

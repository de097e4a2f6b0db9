import type { Config } from '../../../config/schema.ts';
import { messageOf, WritError } from '../../core/errors.ts';
import { type Probe, passed } from '../../core/findings.ts';
import { counted } from '../../core/units.ts';
import { compileDenied } from '../enumerate/denied.ts';

/** Looks whether each deny pattern can fit a path: one that cannot protects nothing. */
export function deniedProbes({ sandbox: { denied_patterns: patterns } }: Config['tools']): Probe[] {
  if (patterns.length === 0) return [];
  const look: Probe['look'] = () => {
    try {
      compileDenied(patterns);
    } catch (error) {
      throw new WritError('INVALID_CONFIG', messageOf(error), { field: 'tools.sandbox.denied_patterns', cause: error });
    }
    return passed(counted(patterns.length, 'pattern'));
  };
  return [{ title: 'deny patterns', look, todo: 'mend tools.sandbox.denied_patterns' }];
}

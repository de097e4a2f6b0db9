import { TOOL_CALL } from '../../contracts/index.ts';
import { capabilityLabel } from '../labels.ts';

/** As a label, whose set is closed, and the calls of tools beside. */
export function capabilityName(capabilityId: string): string {
  return capabilityId === TOOL_CALL ? TOOL_CALL : capabilityLabel(capabilityId);
}

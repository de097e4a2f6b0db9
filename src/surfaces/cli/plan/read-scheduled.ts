import type { ScheduleRequest } from '../../../contracts/index.ts';
import { parseStrictJson } from '../../../core/canonical-json.ts';
import { jobOf } from '../../shared/input/parse-task.ts';
import type { CommandContext } from '../command.ts';
import { readText } from '../read-text.ts';
import { MAX_ENVELOPE_BYTES } from './read-plan.ts';

/** Keys that envelopes of both forms have, and manifests have not. */
const OF_ENVELOPES = ['payload', 'context', 'input'] as const;

/**
 * What a schedule is to make: the manifest of a file, or its envelope; `-` is standard input.
 *
 * @throws WritError INVALID_MANIFEST for a file that is neither
 */
export async function readScheduled(context: CommandContext, file: string): Promise<Pick<ScheduleRequest, 'manifest' | 'envelope'>> {
  const text = await readText(context.io, file, MAX_ENVELOPE_BYTES);
  const value = parseStrictJson(text, { maxBytes: MAX_ENVELOPE_BYTES });
  const isEnvelope = typeof value === 'object' && value !== null && OF_ENVELOPES.some((key) => Object.hasOwn(value, key));
  return isEnvelope ? { envelope: value as Record<string, unknown> } : { manifest: jobOf(text).manifest };
}

import { parseStrictJson } from '../../../core/canonical-json.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { PlanPreview } from '../../../core/ports/index.ts';
import type { CommandContext } from '../command.ts';
import { readText } from '../read-text.ts';

/** Room for an envelope with all the definitions that it uses; the queue takes no larger job. */
export const MAX_ENVELOPE_BYTES = 1_048_576;

export interface LinkedPlan {
  readonly envelope: JsonObject;
  readonly planSha256: string;
}

/**
 * The envelope of a file, or of standard input for `-`, linked with the registries of this host.
 *
 * @throws WritError INVALID_MANIFEST when it is no plan
 */
export async function readPlan(context: CommandContext, file: string): Promise<LinkedPlan & { readonly preview: PlanPreview }> {
  const envelope = parseStrictJson(await readText(context.io, file, MAX_ENVELOPE_BYTES), { maxBytes: MAX_ENVELOPE_BYTES });
  const preview = await (await context.services()).planPreview();
  return { ...preview.link(envelope), preview };
}

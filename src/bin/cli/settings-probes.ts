import type { Config } from '../../../config/schema.ts';
import { receiverProbes } from '../../adapters/http-tool/receivers.ts';
import { certificateProbes } from '../../adapters/tls/doctor.ts';
import { deniedProbes } from '../../content-search/settings/denied-probes.ts';
import type { Probe } from '../../core/findings.ts';

/** What a role would refuse to start for: `writ doctor` tells of it, and `writ up` starts nothing before. */
export function settingsProbes({ http, tools, webhooks }: Config): readonly Probe[] {
  return [...receiverProbes(webhooks.endpoints), ...certificateProbes(http.tls), ...deniedProbes(tools)];
}

import type { WebhookEndpointView } from '../../contracts/index.ts';
import type { NoticeCounts } from '../../core/ports/index.ts';
import type { WebhookEndpoint } from '../notice/endpoint.ts';

/** An endpoint as operators see it, with its notices counted. */
export function endpointView(
  { id, url, capabilities, keys, plans }: WebhookEndpoint,
  counts: readonly Omit<NoticeCounts, 'endpoint'>[],
): Omit<WebhookEndpointView, 'room_bytes'> {
  const notices = (state: NoticeCounts['state']): number => counts.find((one) => one.state === state)?.notices ?? 0;
  const oldest = counts.find(({ state }) => state === 'pending')?.oldestAt;
  return {
    endpoint: id,
    url,
    capabilities: [...capabilities],
    keys: [...keys],
    plans: plans === true,
    ...{ pending: notices('pending'), delivered: notices('delivered'), dead: notices('dead') },
    held_bytes: counts.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(oldest === undefined ? {} : { oldest_pending_at: new Date(oldest).toISOString() }),
  };
}

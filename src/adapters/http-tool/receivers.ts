import { type Probe, passed } from '../../core/findings.ts';
import { createPost } from './post.ts';

/** Looks at each receiver of webhooks as whoever sends to it will. */
export function receiverProbes(endpoints: Readonly<Record<string, { readonly url: string; readonly allow: readonly string[] }>>): Probe[] {
  return Object.entries(endpoints).map(([id, { url, allow }]) => ({
    title: `webhook ${id}`,
    look: () => {
      createPost({ url, allow, field: `webhooks.endpoints.${id}` });
      return passed(url);
    },
    todo: `mend [webhooks.endpoints.${id}]: a host of your own network, and plain HTTP, have to stand in allow (docs/webhooks.md)`,
  }));
}

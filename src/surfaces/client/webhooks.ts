import type { CallOptions } from './tasks.ts';
import type { Transport } from './transport.ts';
import type { NoticeList, NoticeResend, NoticeView, WebhookList, WebhookTest } from './webhook-types.ts';

export interface NoticesOptions extends CallOptions {
  readonly endpoint?: string;
  readonly state?: 'pending' | 'delivered' | 'dead';
  readonly task?: string;
  readonly plan?: string;
  readonly limit?: number;
  /** `next` of the page before. */
  readonly cursor?: string;
}

/** Who is told of the ends of tasks and plans; every method needs the role `operate`. */
export interface WebhooksApi {
  list(options?: CallOptions): Promise<WebhookList>;
  /** A page of notices, the newest first. */
  notices(options?: NoticesOptions): Promise<NoticeList>;
  notice(id: string, options?: CallOptions): Promise<NoticeView>;
  /** Sends a dead notice again. */
  resend(id: string, options?: CallOptions): Promise<NoticeResend>;
  /** Sends all dead notices of an endpoint again; `left` of those without a text wait for another call. */
  resendDead(endpoint: string, options?: CallOptions): Promise<NoticeResend>;
  /** Sends one notice that only tries the endpoint. */
  test(endpoint: string, options?: CallOptions): Promise<WebhookTest>;
}

export function createWebhooksApi(transport: Transport): WebhooksApi {
  const at = (...parts: string[]): string => ['/v1/webhooks', ...parts.map(encodeURIComponent)].join('/');
  const get = async <T>(path: string, { signal }: CallOptions, query: Record<string, string | number | undefined> = {}): Promise<T> =>
    (await transport.json<T>({ method: 'GET', path, query, signal, repeatable: true })).body;
  const post = async <T>(path: string, { signal }: CallOptions): Promise<T> =>
    (await transport.json<T>({ method: 'POST', path, signal, repeatable: false })).body;
  return {
    list: (options = {}) => get(at(), options),
    notices: ({ signal, ...query } = {}) => get(at('notices'), signal === undefined ? {} : { signal }, query),
    notice: (id, options = {}) => get(at('notices', id), options),
    resend: (id, options = {}) => post(at('notices', id, 'resend'), options),
    resendDead: (endpoint, options = {}) => post(at(endpoint, 'resend'), options),
    test: (endpoint, options = {}) => post(at(endpoint, 'test'), options),
  };
}

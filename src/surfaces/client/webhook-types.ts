/** An endpoint of the server's settings, with its notices counted. */
export interface WebhookEndpointView {
  endpoint: string;
  url: string;
  capabilities: string[];
  keys: string[];
  plans: boolean;
  pending: number;
  delivered: number;
  dead: number;
  held_bytes: number;
  room_bytes: number;
  oldest_pending_at?: string | undefined;
}

/** `public_key` verifies notices: `whpk_` and base64. */
export interface WebhookList {
  public_key: string;
  endpoints: WebhookEndpointView[];
}

export interface NoticeLine {
  id: string;
  endpoint: string;
  /** What it is about: a task, or a plan. */
  task_id?: string | undefined;
  plan_id?: string | undefined;
  state: 'pending' | 'delivered' | 'dead';
  attempts: number;
  created_at: string;
  next_at?: string | undefined;
  ended_at?: string | undefined;
  problem?: string | undefined;
}

export interface NoticeList {
  notices: NoticeLine[];
  next?: string | undefined;
}

/** `body`: the exact text; absent once it was delivered, or dropped for lack of room. */
export interface NoticeView extends NoticeLine {
  body?: string | undefined;
}

export interface NoticeResend {
  resent: number;
  /** Still dead. */
  left: number;
}

export interface WebhookTest {
  endpoint: string;
  delivered: boolean;
  problem?: string | undefined;
}

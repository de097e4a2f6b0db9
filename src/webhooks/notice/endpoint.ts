import { PLAN_NOTICE } from '../../core/notice-subject.ts';

/** A registered receiver, as the settings have it. */
export interface WebhookEndpoint {
  readonly id: string;
  /** `https://host[:port]/path`, without user, query and fragment. */
  readonly url: string;
  /** Every task of these capabilities is told, whoever pushed it; `*` stands for all. */
  readonly capabilities: readonly string[];
  /** Every plan is told, whoever pushed it. */
  readonly plans?: boolean;
  /** Tasks and plans that these API keys push are told; beside them nobody may name the endpoint. Empty: any key may name it. */
  readonly keys: readonly string[];
  /** Hosts, addresses and CIDR ranges that may be reached although they are not public. */
  readonly allow: readonly string[];
}

/** Whether the endpoint is told of every task of the capability, or of every plan. */
export function tellsAll({ capabilities, plans }: Pick<WebhookEndpoint, 'capabilities' | 'plans'>, capability: string): boolean {
  if (capability === PLAN_NOTICE) return plans === true;
  return capabilities.includes('*') || capabilities.includes(capability);
}

/** Whether a key may have its tasks told to the endpoint by naming it. */
export function mayName({ keys }: Pick<WebhookEndpoint, 'keys'>, key: string): boolean {
  return keys.length === 0 || keys.includes(key);
}

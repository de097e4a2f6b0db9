/**
 * Who writes values of a contract, and so what may change under one version (docs/contracts.md):
 * `accepted`, others write and we read: more may be allowed; `emitted`, we write and others read: less may be;
 * `both`: neither.
 */
export type Direction = 'accepted' | 'emitted' | 'both';

export interface ContractVersion {
  readonly version: number;
  readonly direction: Direction;
}

const accepted: ContractVersion = { version: 1, direction: 'accepted' };
const emitted: ContractVersion = { version: 1, direction: 'emitted' };
const both: ContractVersion = { version: 1, direction: 'both' };

/** A change that breaks a contract gets the next number here, and a line in the changelog. */
export const VERSIONS = {
  'task-manifest': accepted,
  'task-job': both,
  'execution-result': { ...emitted, version: 2 },
  'lease-payload': both,
  'revocation-payload': both,
  'token-header': both,
  'search-files.inputs': accepted,
  'search-files.output': emitted,
  'search-emails.inputs': accepted,
  'search-emails.output': emitted,
  'search-datasets.inputs': accepted,
  'search-datasets.output': emitted,
  'content-search.request': accepted,
  'content-search.answer': emitted,
  'message-search.query': { ...accepted, version: 3 },
  'message-search.response': { ...emitted, version: 5 },
  'search-messages.inputs': { ...accepted, version: 3 },
  'search-messages.output': { ...emitted, version: 5 },
  'search-messages-product.inputs': { ...accepted, version: 3 },
  'search-messages-product.output': { ...emitted, version: 5 },
  step: accepted,
  memory: both,
  envelope: accepted,
  'legacy-envelope': accepted,
  'execution-envelope': accepted,
  'envelope-header': accepted,
  'tool-input': emitted,
  'tool-result': accepted,
  'tool-definition': accepted,
  capability: accepted,
  usecase: accepted,
  result: emitted,
  'result-envelope': emitted,
  'plan-job': both,
  'plan-result': emitted,
  'plan-lease-payload': both,
  'tool-call.inputs': accepted,
  'tool-call.output': emitted,
  'undo.param': accepted,
  'approval.inputs': accepted,
  'tool-binding': accepted,
} satisfies Record<string, ContractVersion>;

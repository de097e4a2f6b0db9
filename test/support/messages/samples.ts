import type { IngestOp, PutMessage } from '../../../src/contracts/index.ts';

/** A message as a producer sends it; what is not given is plain. */
export function message(given: Partial<PutMessage> & { readonly key: string }): PutMessage {
  return {
    op: 'message',
    project: 'backend',
    from: 'BlueLake',
    to: ['GreenHill'],
    cc: [],
    bcc: [],
    thread_id: null,
    subject: `subject of ${given.key}`,
    body_md: `body of ${given.key}`,
    importance: 'normal',
    ack_required: false,
    created_ts: 1_700_000_000_000_000,
    attachments: [],
    ...given,
  };
}

/** Many plain messages. */
export function messages(count: number, first = 0): readonly IngestOp[] {
  return Array.from({ length: count }, (_, i) => message({ key: `k${first + i}`, created_ts: 1_700_000_000_000_000 + i }));
}

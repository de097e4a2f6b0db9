import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { IngestOp } from '../../../src/contracts/index.ts';
import { createMessageStore } from '../../../src/messages/store/store.ts';

/** 2026-01-02T00:00:00Z, microseconds. */
export const DAY = 1_767_312_000_000_000;
const HOUR = 3_600_000_000;

const SUBJECTS = ['migration plan', 'migration plan, second draft', 'lunch', 'plan for the release', 'urgent: migration failed', 'notes'];

const message = (project: string, at: number, more: object): IngestOp => ({
  op: 'message',
  project,
  key: `${project}-${at}`,
  from: at % 2 === 0 ? 'BlueLake' : 'RedFox',
  to: ['GreenHill'],
  cc: [],
  bcc: [],
  thread_id: `t-${at % 3}`,
  subject: SUBJECTS[at % SUBJECTS.length] ?? '',
  body_md: `body ${at} of the plan`,
  importance: at === 4 ? 'urgent' : 'normal',
  ack_required: at === 1,
  created_ts: DAY + at * HOUR,
  attachments: [],
  ...more,
});

/** Projects `backend` with six messages, `frontend` with two and `elsewhere` with one; product `suite` has the first two. */
export async function fillMailbox(file: string): Promise<void> {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const store = createMessageStore({ file, batchOps: 100 });
  await store.start();
  const outcome = await store.write({
    at: DAY,
    ops: [
      ...[0, 1, 2, 3, 4, 5].map((at) => message('backend', at, {})),
      ...[0, 1].map((at) => message('frontend', at, { body_md: `the plan of the front, ${at}` })),
      message('elsewhere', 0, {}),
      { op: 'product', product_uid: 'suite', name: 'The Suite' },
      { op: 'link', product_uid: 'suite', project: 'backend' },
      { op: 'link', product_uid: 'suite', project: 'frontend' },
    ],
  });
  await store.stop();
  if (outcome.refusals.length > 0) throw new Error(outcome.refusals.join('; '));
}

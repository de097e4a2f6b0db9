import type { Mail, Mailbox } from './mailbox.ts';

export const T = 1_700_000_000_000_000;
const mail = (id: number, fields: Partial<Mail>): Mail => ({
  id,
  project_id: 1,
  sender_id: 1,
  thread_id: null,
  subject: 'Note',
  body: 'plan',
  importance: 'normal',
  ack: false,
  created_ts: T + id,
  recipients: [],
  ...fields,
});

/** Ada and Bob work on 1, Eve on 2, Max on 3; Bob lets only contacts write to him, Eve's mail is open. */
export const BOX: Mailbox = {
  projects: [
    { id: 1, slug: 'app', key: '/srv/app' },
    { id: 2, slug: 'web', key: '/srv/web' },
    { id: 3, slug: 'ops', key: '/srv/ops' },
  ],
  products: [{ id: 1, name: 'Suite', project_ids: [1, 2] }],
  agents: [
    { id: 1, project_id: 1, name: 'Ada', task: 'plans builds', policy: 'auto' },
    { id: 2, project_id: 1, name: 'Bob', task: 'tests', policy: 'contacts_only' },
    { id: 3, project_id: 2, name: 'Eve', task: 'draws', policy: 'open' },
    { id: 4, project_id: 3, name: 'Max', task: 'runs', policy: 'block_all' },
  ],
  links: [{ a: 1, b: 4, status: 'approved', expires: null }],
  mails: [
    mail(1, { subject: 'Build plan', recipients: [{ agent_id: 2, kind: 'to' }] }),
    mail(2, { sender_id: 2, thread_id: 'br-42', importance: 'urgent' }),
    mail(3, { sender_id: 2, recipients: [{ agent_id: 1, kind: 'cc' }] }),
    mail(4, { project_id: 2, sender_id: 3, recipients: [{ agent_id: 2, kind: 'bcc' }] }),
    mail(5, { project_id: 3, sender_id: 4 }),
    mail(6, { project_id: 3, sender_id: null, body: 'nothing here' }),
  ],
};

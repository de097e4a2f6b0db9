import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestCa } from '../../../support/certificates.ts';
import { fillDisk } from '../../../support/small-disk.ts';
import { withQueue } from '../raw-queue.ts';
import { FILLER, restart, type Strike } from '../strike.ts';

const filler = (directory: string): string => path.join(directory, FILLER);

/** Other troubles make deliveries crash, too: it comes first. */
export const FULL_DISK: Strike = {
  what: 'the disk of the data directory is full',
  alerts: ['WritDeliveriesCrash', 'WritMessagesNotTakenIn'],
  async strike(hurt, traffic) {
    const { places, client } = hurt;
    // Signed and queued while there was room: nothing is signed on a full disk.
    await withQueue(hurt, (queue) => queue.pause());
    await traffic.copies(20);
    fillDisk(filler(places.dataDir));
    await withQueue(hurt, (queue) => queue.resume());
    // More than the files of the store may have of room in themselves.
    const large = Array.from({ length: 10 }, () => ({ key: traffic.next(), body_md: 'x'.repeat(100_000) }));
    const ops = large.map((one) => ({ op: 'message' as const, project: 'full', subject: 'no room', ...one }));
    return () => client.messages.ingest(ops).catch(() => undefined);
  },
  mend: async ({ places }) => rmSync(filler(places.dataDir)),
  endsAtOnce: false,
};

/** Of the API and of what lies in the data directory; what is never the same again comes last. */
export const API_STRIKES: readonly Strike[] = [
  {
    what: 'a receiver of webhooks wants no notices any more',
    alerts: ['WritWebhooksNotDelivered'],
    async strike({ receiver }, traffic) {
      receiver.status = 410;
      await traffic.copies(2);
      return undefined;
    },
    async mend({ receiver }) {
      receiver.status = 204;
    },
    endsAtOnce: false,
  },
  {
    what: 'the event loop of the API is held up again and again',
    alerts: ['WritEventLoopBlocked'],
    async strike({ roles }) {
      return async () => {
        roles.api.signal('SIGSTOP');
        await delay(1200);
        roles.api.signal('SIGCONT');
        await delay(200);
      };
    },
    mend: async () => undefined,
    endsAtOnce: true,
  },
  {
    what: 'the API is killed',
    alerts: ['WritDown'],
    strike: async ({ roles }) => void (await roles.api.end('SIGKILL')),
    mend: ({ roles }) => roles.api.start(),
    endsAtOnce: true,
  },
  {
    what: 'the data directory has no room for another name, and the audit log is due',
    alerts: ['WritLogGrows'],
    async strike(hurt) {
      await restart(hurt, 'api', { env: { WRIT_AUDIT__ROTATE_S: '1' } });
      mkdirSync(filler(hurt.places.dataDir));
      try {
        for (let n = 0; ; n += 1) writeFileSync(path.join(filler(hurt.places.dataDir), `${n}`), '');
      } catch {
        // There is no room for another one.
      }
      return () => hurt.client.queues.pause('search').catch(() => undefined);
    },
    async mend(hurt) {
      rmSync(filler(hurt.places.dataDir), { recursive: true });
      await hurt.client.queues.resume('search');
      await restart(hurt, 'api');
    },
    endsAtOnce: true,
  },
  {
    what: 'the API gets a certificate that ends in five days',
    alerts: ['WritCertificateEnds'],
    async strike(hurt) {
      const { cert, key } = createTestCa().issue('api', 'DNS:localhost,IP:127.0.0.1', 5);
      await restart(hurt, 'api', { env: { WRIT_HTTP__TLS__CERT_FILE: cert, WRIT_HTTP__TLS__KEY_FILE: key } });
      return undefined;
    },
    mend: (hurt) => restart(hurt, 'api'),
    endsAtOnce: true,
  },
  {
    what: 'the database of messages is damaged',
    alerts: ['WritMessageSearchFailing'],
    async strike({ places, client }) {
      writeFileSync(places.messages, Buffer.alloc(200_000, 'no database'));
      return () => client.messages.search({ text: 'needle' }).catch(() => undefined);
    },
    mend: async () => undefined,
    endsAtOnce: false,
  },
];

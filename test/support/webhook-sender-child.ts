import { inlineEd25519 } from '../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../src/adapters/crypto/node-crypto.ts';
import { createPost } from '../../src/adapters/http-tool/post.ts';
import { systemClock } from '../../src/core/clock.ts';
import { generateKey, signingKey } from '../../src/lease/index.ts';
import { attempt } from '../../src/webhooks/io/attempt.ts';
import { createSender } from '../../src/webhooks/io/sender.ts';
import { outboxIn } from './webhooks.ts';

/** A process that sends what is due until it is killed; its words are the directory of the outbox and the URL. */
const [directory = '', url = ''] = process.argv.slice(2);
const deps = {
  post: createPost({ url, allow: ['127.0.0.1'], field: 'webhooks.endpoints.crm' }),
  key: signingKey(generateKey({ use: 'webhook', capabilities: [] })),
  ed25519: inlineEd25519(nodeEd25519()),
  clock: systemClock,
  timeoutMs: 60_000,
};
await createSender({
  outbox: await outboxIn(directory),
  endpoint: 'crm',
  attempt: (notice, signal) => attempt(notice, deps, signal),
  clock: systemClock,
  random: () => 0,
  report: () => undefined,
  onTrouble: (error) => {
    throw error;
  },
}).start();
// Its timers keep nobody alive.
setInterval(() => undefined, 60_000);

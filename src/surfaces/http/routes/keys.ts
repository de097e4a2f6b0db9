import { KeySet } from '../../../contracts/index.ts';
import { route } from '../route.ts';
import { tagged } from './answers.ts';

export const listKeys = route({
  method: 'GET',
  path: '/v1/keys',
  operation: 'listKeys',
  summary: 'The public keys that verify results',
  description: 'A JWKS (RFC 7517) of Ed25519 keys. A result is genuine when one of them verifies it for its task, capability and manifest.',
  tag: 'keys',
  access: 'any',
  headers: { 'if-none-match': 'ETag of a set that is known already.' },
  responses: {
    200: { description: 'The keys.', schema: KeySet, headers: { etag: 'Changes with the keys.' } },
    304: { description: 'Nothing has changed.' },
  },
  problems: ['STORAGE_UNAVAILABLE'],
  async handle({ request, services }) {
    // A key that was taken out must not be trusted for long (60 s everywhere).
    return tagged(await services.resultKeys(), request.headers['if-none-match'], { 'cache-control': 'private, max-age=30' });
  },
});

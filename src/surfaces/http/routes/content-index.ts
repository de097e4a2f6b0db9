import { z } from 'zod';
import { IndexAction, IndexReceipt, IndexReport } from '../../../contracts/index.ts';
import { askIndex } from '../../shared/content-index/index-tasks.ts';
import { route } from '../route.ts';

const ActionParams = z.strictObject({
  key_hash: z
    .string()
    .regex(/^[0-9a-f]{8,64}$/, 'must be 8 to 64 lower-case hexadecimal digits')
    .meta({ description: '`key_hash` of the index, or its first digits.' }),
  action: IndexAction,
});

export const readIndex = route({
  method: 'GET',
  path: '/v1/index',
  operation: 'readIndex',
  summary: 'The content-search indexes',
  description:
    'What each index is, whether searches may leave files out by it, and what is done about it now. Searches give the same answers whatever stands here. ' +
    'Names the directories that are indexed.',
  tag: 'search',
  access: ['read', 'operate'],
  responses: { 200: { description: 'Also when the index is off.', schema: IndexReport } },
  problems: ['STORAGE_UNAVAILABLE'],
  async handle({ services: { contentIndex } }) {
    const report: IndexReport = { mode: contentIndex.mode, indexes: [...(await contentIndex.status())] };
    return { status: 200, body: report, headers: { 'cache-control': 'no-store' } };
  },
});

export const actOnIndex = route({
  method: 'POST',
  path: '/v1/index/:key_hash/:action',
  operation: 'actOnIndex',
  summary: 'Build, reconcile, check or drop an index',
  description:
    '`build` makes it anew, `reconcile` compares it with the tree, `check` proves its files sound, `drop` removes it. The index host does it when its turn comes; ' +
    'the end appears in `ended` of the status, with this job. Audited.',
  tag: 'search',
  access: ['operate'],
  params: ActionParams,
  responses: { 202: { description: 'It is queued, or was already.', schema: IndexReceipt, headers: { location: 'Where the end will appear.' } } },
  problems: ['INVALID_ARGUMENT', 'NOT_FOUND', 'WRONG_STATE', 'INDEX_UNAVAILABLE', 'REDIS_FULL', 'REDIS_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  async handle({ params, caller, services: { contentIndex, audit } }) {
    const receipt = await askIndex(contentIndex, { keyHash: params.key_hash }, params.action, { surface: 'http', who: caller.name }, audit);
    return { status: 202, body: receipt, headers: { location: '/v1/index' } };
  },
});

import { z } from 'zod';
import { IndexReport } from '../../../contracts/index.ts';
import { LOOKS_ONLY, tool } from '../tool.ts';

export const indexStatus = tool({
  name: 'index_status',
  title: 'The content-search indexes',
  description:
    'What each index is, whether searches may leave files out by it, and what is done about it now. Searches give the same answers whatever it says.',
  access: ['read', 'operate'],
  annotations: LOOKS_ONLY,
  input: z.strictObject({}),
  output: IndexReport,
  async run({ services }) {
    const index = await services.contentIndex();
    return { mode: index.mode, indexes: [...(await index.status())] };
  },
});

import type { Suite } from './contract.ts';

/**
 * All suites by the name that `npm run bench -- <suite>` takes. A suite is a module that exports `suite`, loaded only
 * when it is asked for: `throughput: async () => (await import('./throughput.ts')).suite`.
 */
export const SUITES: Readonly<Record<string, () => Promise<Suite>>> = {
  api: async () => (await import('./api.ts')).suite,
  cli: async () => (await import('./cli.ts')).suite,
  messages: async () => (await import('./messages.ts')).suite,
  'messages-hybrid': async () => (await import('./messages-hybrid.ts')).suite,
  'messages-postgres': async () => (await import('./messages-postgres.ts')).suite,
  plan: async () => (await import('./plan.ts')).suite,
  'content-search': async () => (await import('./content-search.ts')).suite,
  index: async () => (await import('./content-index.ts')).suite,
  file: async () => (await import('./file.ts')).suite,
  'search-executor': async () => (await import('./search-executor.ts')).suite,
  retry: async () => (await import('./retry.ts')).suite,
  scale: async () => (await import('./scale.ts')).suite,
  throughput: async () => (await import('./throughput.ts')).suite,
};

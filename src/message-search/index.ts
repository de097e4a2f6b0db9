export type { KillSwitch } from './modes.ts';
export { createMessageSearchService, type MessageSearchService } from './service.ts';
export { unanswered } from './unanswered.ts';

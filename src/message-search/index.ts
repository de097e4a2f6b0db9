export type { KillSwitch, Missing } from './modes.ts';
export { createMessageSearchService, type MessageSearchService } from './service.ts';
export { unanswered } from './unanswered.ts';

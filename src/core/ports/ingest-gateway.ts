import type { MessageLane } from './message-ingest.ts';

/** How surfaces change the messages. Where messages are off, `submit` throws WritError WRONG_STATE. */
export type IngestGateway = Pick<MessageLane, 'submit' | 'settled'>;

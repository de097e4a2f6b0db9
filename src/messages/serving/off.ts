import { WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { lifecycle } from '../../core/lifecycle.ts';
import type { IngestGateway, MessageSearch } from '../../core/ports/index.ts';

/** What stands for messages where they are off: every question and every change throws WritError WRONG_STATE. */
export const MESSAGES_OFF: Lifecycle & MessageSearch & IngestGateway = {
  ...lifecycle(
    () => undefined,
    () => undefined,
  ),
  search: refuse,
  project: refuse,
  product: refuse,
  errorResponse: refuse,
  submit: refuse,
  settled: refuse,
};

async function refuse(): Promise<never> {
  throw new WritError('WRONG_STATE', 'messages are off here: messages.enabled is false');
}

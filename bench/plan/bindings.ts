import type { Bindings } from '../../src/core/ports/index.ts';
import { COPY_TOOL } from './envelopes.ts';

/** The provider of the tool that does nothing. */
export const PROVIDER = 'bench';
export const STEP_QUEUE = `tool-${PROVIDER}`;
export const BINDINGS: Bindings = (ref) => (ref === COPY_TOOL ? { adapter: 'writ' } : { adapter: 'http', provider: PROVIDER });

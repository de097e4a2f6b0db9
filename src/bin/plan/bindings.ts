import type { Bindings } from '../../core/ports/index.ts';

export const bindings: Bindings = (ref) => (ref === 'writ.file' || ref === 'writ.search' ? { adapter: 'writ' } : undefined);

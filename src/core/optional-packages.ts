import { WritError } from './errors.ts';

/** What an installation can do without, and the packages that it then lacks: peers of ours that nobody must have. */
export const OPTIONAL_PACKAGES = {
  tracing: [
    '@opentelemetry/context-async-hooks@2.12.0',
    '@opentelemetry/exporter-trace-otlp-http@0.223.1',
    '@opentelemetry/resources@2.12.1',
    '@opentelemetry/sdk-trace-base@2.12.1',
    '@opentelemetry/semantic-conventions@1.45.0',
  ],
  screen: ['ink@6.8.0', 'react@19.3.1'],
  columns: ['@duckdb/node-api@1.5.6-r.1'],
  models: ['onnxruntime-node@1.30.0'],
} satisfies Record<string, readonly string[]>;

/**
 * Loads what needs optional packages.
 *
 * @param who says in the sentence what wanted them, `tracing.enabled`
 * @throws WritError PACKAGE_MISSING with the command that installs them, when one is not there
 */
export async function withOptionalPackages<T>(feature: keyof typeof OPTIONAL_PACKAGES, who: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error)) throw error;
    const packages = OPTIONAL_PACKAGES[feature];
    throw new WritError('PACKAGE_MISSING', `${who} needs packages that are not installed; where Writ is installed, run: npm install ${packages.join(' ')}`, {
      cause: error,
    });
  }
}

/** Node's own word for it, of either kind of module. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND');
}

import { environmentSecret, traceResource } from '../../config/load.ts';
import { packageVersion } from '../../config/package.ts';
import type { Config } from '../../config/schema.ts';
import { readSecrets } from '../adapters/http-tool/secrets.ts';
import { openTracing, type Tracing, type TracingOptions } from '../observability/tracing/open-tracing.ts';

export interface TracedRole extends Pick<TracingOptions, 'role' | 'log' | 'metrics'> {
  readonly config: Config;
}

/** Tracing as the settings want it. */
export function traceRole({ config, ...role }: TracedRole): Promise<Tracing> {
  const about = { version: packageVersion(), resource: traceResource() };
  return openTracing({ ...role, ...about, settings: config.tracing, headers: () => headerValues(config.tracing.headers) });
}

async function headerValues(references: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const read = await readSecrets(references, new Set(Object.keys(references)), environmentSecret);
  if (!read.ok) throw new Error(`tracing.headers: ${read.error}`);
  return Object.fromEntries(read.value);
}

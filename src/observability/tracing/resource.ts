import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions';

/** What a process says of itself in every span. */
export interface ResourceOfProcess {
  readonly role: string;
  readonly version: string;
  /** Names this process among those of its role. */
  readonly instance: string;
}

/**
 * The attributes of a process. What is given counts for names (`service.name`, `service.namespace`) and for everything
 * that Writ does not know; what Writ knows better stays. Each role is a service of its own unless a name is given (D246).
 */
export function withResource(given: Readonly<Record<string, string>>, { role, version, instance }: ResourceOfProcess): Record<string, string> {
  return {
    [ATTR_SERVICE_NAME]: `writ-${role}`,
    'service.namespace': 'writ',
    ...given,
    [ATTR_SERVICE_VERSION]: version,
    'service.instance.id': instance,
    'writ.role': role,
  };
}
